import type { Service } from '@sdk/test-kit'
import { expect, it } from 'vitest'
import { DRIVERS } from '../contract/drivers.ts'
import { createRandom } from '../endurance/random.ts'
import { CLIENTS, eachEngine, figuresOf, PROCESSES, ROOMS, sum, withCrowd } from './cluster/arena.ts'
import type { Fleet } from './cluster/fleet.ts'
import { behind, later } from './cluster/talking.ts'
import { addRow, choose } from './mode.ts'

const LASTS_MS = choose(180_000, 8_000)
const KILL_EVERY_MS = choose(10_000, 4_000)
const AWAY_MS = choose(5_000, 1_000)
const FROZEN_MS = choose(15_000, 4_000)
const SPREAD_MS = choose(2_000, 500)
/** The same kills every time; CHAOS_SEED=… tries others. */
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_261)

eachEngine.each(DRIVERS)(
  `${CLIENTS} clients in ${ROOMS} rooms of ${PROCESSES} processes on the $name (seed ${SEED})`,
  (driver) => {
    it('hear and are heard while processes are killed and the engine goes away', async () => {
      let kills = 0
      const outcome = await withCrowd(driver, {
        spread: SPREAD_MS,
        async trouble({ fleet, server }) {
          kills = await makeTrouble(fleet, server)
        },
      })
      const { lost, talkers, statuses } = outcome
      const reordered = talkers.flatMap(({ heard }) => heard.reordered)
      const untold = talkers.flatMap(({ heard }) => heard.untold)
      const figures = { ...figuresOf(outcome), reordered: reordered.length, untold: untold.length }
      addRow({ name: `cluster on the ${driver.name}`, restarts: kills, ...figures })
      expect(reordered).toEqual([])
      expect(untold).toEqual([])
      expect(talkers.flatMap(({ answers }) => answers.untold)).toEqual([])
      expect(behind(talkers)).toEqual([])
      expect(lost).toEqual([])
      expect([...statuses].filter(([status]) => status !== 200)).toEqual([])
      expect(sum(talkers, ({ heard }) => heard.heard)).toBeGreaterThan(sum(talkers, ({ said }) => said()))
    })
  },
)

/** Kills a process every so often, stops the engine twice and freezes it once; gives how many were killed. */
async function makeTrouble(fleet: Fleet, server: Service): Promise<number> {
  const random = createRandom(SEED)
  const started = performance.now()
  const part = LASTS_MS / 4
  const steps: (() => Promise<void>)[] = [
    () => away(server),
    () => away(server),
    async () => {
      server.signal('SIGSTOP')
      await later(FROZEN_MS)
      server.signal('SIGCONT')
    },
  ]
  const engine = (async () => {
    for (const step of steps) {
      await later(part - 1_000)
      await step()
    }
  })()
  let kills = 0
  while (performance.now() - started < LASTS_MS) {
    await later(KILL_EVERY_MS)
    await fleet.kill(random.below(PROCESSES))
    kills += 1
  }
  await engine
  return kills
}

async function away(server: Service): Promise<void> {
  await server.kill()
  await later(AWAY_MS)
  await server.start()
}
