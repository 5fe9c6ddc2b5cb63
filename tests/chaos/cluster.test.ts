import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Service, temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { DRIVERS } from '../contract/drivers.ts'
import { createRandom } from '../endurance/random.ts'
import { gather, type Talker } from './cluster/crowd.ts'
import { type Fleet, startFleet, untilReady } from './cluster/fleet.ts'
import { keepAsking } from './cluster/http-client.ts'
import { behind, keepTalking, later, settle, unhandled } from './cluster/talking.ts'
import { addRow, choose } from './mode.ts'

const PROCESSES = 4
const CLIENTS = choose(2_000, 200)
const ROOMS = choose(200, 20)
/** All clients together say so many things a second. */
const PER_SECOND = choose(300, 100)
const LASTS_MS = choose(180_000, 20_000)
const KILL_EVERY_MS = choose(10_000, 5_000)
const AWAY_MS = choose(5_000, 2_000)
const FROZEN_MS = choose(15_000, 4_000)
const SPREAD_MS = choose(2_000, 500)
/** The same kills every time; CHAOS_SEED=… tries others. */
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_261)

describe.each(DRIVERS)(
  `${CLIENTS} clients in ${ROOMS} rooms of ${PROCESSES} processes on the $name (seed ${SEED})`,
  (driver) => {
    it('hear and are heard while processes are killed and the engine goes away', async () => {
      const server = await driver.start()
      const folder = temporaryFolder('cluster')
      const notes = join(folder.path, 'notes')
      writeFileSync(notes, '')
      const fleet = await startFleet(PROCESSES, { engine: server.url, notes, spread: SPREAD_MS })
      try {
        await Promise.all(fleet.ports.map(untilReady))
        const talkers = await gather({ port: fleet.port, clients: CLIENTS, rooms: ROOMS })
        const asking = keepAsking(fleet.port, 20)
        const talking = keepTalking(talkers, PER_SECOND)
        const kills = await makeTrouble(fleet, server)
        talking.stop()
        await settle(talkers)
        await asking.stop()

        const sum = (of: (talker: Talker) => number): number => talkers.reduce((total, one) => total + of(one), 0)
        const lost = unhandled(talkers, notes)
        const failed = [...asking.statuses].filter(([status]) => status !== 200)
        addRow({
          name: `cluster on the ${driver.name}`,
          restarts: kills,
          messages: sum(({ said }) => said()),
          lost: lost.length,
          reordered: sum(({ heard }) => heard.reordered.length),
          untold: sum(({ heard }) => heard.untold.length),
          gaps: sum(({ heard }) => heard.gaps),
          heard: sum(({ heard }) => heard.heard),
          requests: [...asking.statuses.values()].reduce((total, count) => total + count, 0),
        })
        expect(talkers.flatMap(({ heard }) => heard.reordered)).toEqual([])
        expect(talkers.flatMap(({ heard }) => heard.untold)).toEqual([])
        expect(talkers.flatMap(({ answers }) => answers.untold)).toEqual([])
        expect(behind(talkers)).toEqual([])
        expect(lost).toEqual([])
        expect(failed).toEqual([])
        expect(sum(({ heard }) => heard.heard)).toBeGreaterThan(sum(({ said }) => said()))
        for (const talker of talkers) talker.close()
      } finally {
        await fleet.end()
        await server.stop()
        folder.remove()
      }
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
