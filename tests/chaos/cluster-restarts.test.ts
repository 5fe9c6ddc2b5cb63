import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { DRIVERS } from '../contract/drivers.ts'
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
/** A server that goes away asks so many clients a second to go elsewhere. */
const RETURNS = 200

describe.each(DRIVERS)(`${CLIENTS} clients of ${PROCESSES} processes on the $name`, (driver) => {
  it('lose nothing, either way, while all processes are restarted one after the other', async () => {
    const server = await driver.start()
    const folder = temporaryFolder('cluster')
    const notes = join(folder.path, 'notes')
    writeFileSync(notes, '')
    const fleet = await startFleet(PROCESSES, { engine: server.url, notes, spread: 500 })
    try {
      await Promise.all(fleet.ports.map(untilReady))
      const talkers = await gather({ port: fleet.port, clients: CLIENTS, rooms: ROOMS })
      const asking = keepAsking(fleet.port, 20)
      const talking = keepTalking(talkers, PER_SECOND)
      const spreads = await restartAll(fleet, talkers)
      talking.stop()
      await settle(talkers)
      await asking.stop()

      const sum = (of: (talker: Talker) => number): number => talkers.reduce((total, one) => total + of(one), 0)
      const lost = unhandled(talkers, notes)
      addRow({
        name: `rolling restart on the ${driver.name}`,
        restarts: PROCESSES,
        messages: sum(({ said }) => said()),
        lost: lost.length,
        gaps: sum(({ heard, answers }) => heard.gaps + answers.gaps),
        heard: sum(({ heard, answers }) => heard.heard + answers.answered.length),
        requests: [...asking.statuses.values()].reduce((total, count) => total + count, 0),
        repeated: asking.repeated,
      })
      expect([...asking.statuses.keys()]).toEqual([200])
      expect(lost).toEqual([])
      expect(behind(talkers)).toEqual([])
      expect(talkers.flatMap(({ heard }) => [...heard.reordered, ...heard.untold])).toEqual([])
      expect(talkers.flatMap(({ answers }) => answers.untold)).toEqual([])
      expect(sum(({ heard, answers }) => heard.gaps + answers.gaps)).toBe(0)
      for (const { answers, said } of talkers) expect(answers.answered).toEqual(countTo(said()))
      for (const { clients, ms } of spreads) expect(ms).toBeGreaterThan((clients / RETURNS) * 1000 * 0.4)
      expect(spreads.reduce((total, { clients }) => total + clients, 0)).toBeGreaterThanOrEqual(CLIENTS)
      for (const talker of talkers) talker.close()
    } finally {
      await fleet.end()
      await server.stop()
      folder.remove()
    }
  })
})

/** Over how many ms most of the clients of a process, but for the first and the last tenth, were asked to leave it. */
interface Spread {
  readonly clients: number
  readonly ms: number
}

async function restartAll(fleet: Fleet, talkers: readonly Talker[]): Promise<Spread[]> {
  const spreads: Spread[] = []
  for (let index = 0; index < PROCESSES; index += 1) {
    await later(choose(5_000, 500))
    const started = performance.now()
    await fleet.restart(index)
    const byes = talkers.flatMap(({ answers }) => answers.byes.filter((at) => at > started)).toSorted((a, b) => a - b)
    const [tenth, last] = [Math.floor(byes.length / 10), byes.length - 1]
    spreads.push({ clients: byes.length, ms: (byes[last - tenth] ?? 0) - (byes[tenth] ?? 0) })
  }
  return spreads
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}
