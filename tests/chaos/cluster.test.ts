import type { Service } from '@sdk/test-kit'
import { expect, it } from 'vitest'
import { createRandom } from '../endurance/random.ts'
import { CLIENTS, eachEngine, enginesOf, figuresOf, PROCESSES, ROOMS, sum, withMembers } from './cluster/arena.ts'
import type { Fleet } from './cluster/fleet.ts'
import { behind, later } from './cluster/messages.ts'
import { addRow, choose } from './mode.ts'

const LASTS_MS = choose(180_000, 8_000)
const KILL_EVERY_MS = choose(10_000, 4_000)
const AWAY_MS = choose(5_000, 1_000)
const FROZEN_MS = choose(15_000, 4_000)
const SPREAD_MS = choose(2_000, 500)
/** The same kills in every run; CHAOS_SEED=… uses others. */
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_261)

eachEngine.each(enginesOf('redisEngine'))(
  `${CLIENTS} clients in ${ROOMS} rooms of ${PROCESSES} processes on the $name (seed ${SEED})`,
  (driver) => {
    it('send and receive messages while processes are killed and the engine is down', async () => {
      let kills = 0
      const outcome = await withMembers(driver, {
        spread: SPREAD_MS,
        async trouble({ fleet, server }) {
          kills = await makeTrouble(fleet, server)
        },
      })
      const { lost, members, statuses } = outcome
      const reordered = members.flatMap(({ messages }) => messages.reordered)
      const unreported = members.flatMap(({ messages }) => messages.unreported)
      const figures = { ...figuresOf(outcome), reordered: reordered.length, unreported: unreported.length }
      addRow({ name: `cluster on the ${driver.name}`, restarts: kills, ...figures })
      expect(reordered).toEqual([])
      expect(unreported).toEqual([])
      expect(members.flatMap(({ replies }) => replies.unreported)).toEqual([])
      expect(behind(members)).toEqual([])
      expect(lost).toEqual([])
      expect([...statuses].filter(([status]) => status !== 200)).toEqual([])
      expect(sum(members, ({ messages }) => messages.count)).toBeGreaterThan(sum(members, ({ sent }) => sent()))
    })
  },
)

/** Kills processes repeatedly, stops the engine twice and freezes it once. Returns the number of kills. */
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
