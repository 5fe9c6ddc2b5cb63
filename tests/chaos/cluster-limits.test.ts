import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '@sdk/test-kit'
import { eachEngine, enginesOf, PROCESSES } from './cluster/arena.ts'
import { type Fleet, type Front, startFleet, startFront, untilReady } from './cluster/fleet.ts'
import { callOften, type Load } from './cluster/one-caller.ts'
import { addRow, choose } from './mode.ts'

const CLIENTS = 50
/** The quota per minute. */
const QUOTA = choose(600, 120)
const PER_SECOND = QUOTA / 60
/** The units that a process may lease in advance: a sixtieth of the quota. */
const LEASE = QUOTA / 60

type Pattern = Pick<Load, 'atOnce' | 'everyMs' | 'turns'>
/** Many times the quota, continuously. */
const STEADY: Pattern = choose({ atOnce: 2, everyMs: 20, turns: 3_000 }, { atOnce: 5, everyMs: 20, turns: 75 })
/** Bursts of the size of the whole quota, with pauses. */
const BURSTY: Pattern = choose(
  { atOnce: QUOTA, everyMs: 5_000, turns: 13 },
  { atOnce: QUOTA, everyMs: 1_000, turns: 3 },
)

eachEngine.each(enginesOf('redisEngine'))(
  `${CLIENTS} clients with one address at ${PROCESSES} processes on the $name`,
  (driver) => {
    let server: Service
    let fleet: Fleet
    let front: Front
    beforeAll(async () => {
      server = await driver.start()
      fleet = await startFleet(PROCESSES, { engine: server.url, notes: '', spread: 500, quota: QUOTA })
      front = await startFront(fleet.ports)
      await Promise.all(fleet.ports.map(untilReady))
    })
    afterAll(async () => {
      await Promise.all([fleet.end(), front.end()])
      await server.stop()
    })

    it.sequential.each([
      ['continuously', STEADY, '192.0.2.1'],
      ['in bursts', BURSTY, '192.0.2.2'],
    ])(`are granted ${QUOTA} requests plus the refill when they send %s`, async (name, pattern, address) => {
      const from = { port: front.port, clients: CLIENTS, address }
      const { granted, refused, others, seconds } = await callOften({ ...from, ...pattern })
      // The quota was full. A process grants only what the engine granted to it, so all processes together grant at most
      // the quota, plus the units that were refilled meanwhile.
      const most = QUOTA + Math.ceil(seconds * PER_SECOND)
      // At least everything is granted except the leases of other processes, and the refill after the last request.
      const sending = ((pattern.turns - 1) * pattern.everyMs) / 1000
      const least = QUOTA + Math.floor(sending * PER_SECOND) - PROCESSES * LEASE
      addRow({ name: `one caller ${name} on the ${driver.name}`, granted, refused, least, most })
      expect(others).toEqual([])
      expect(granted).toBeLessThanOrEqual(most)
      expect(granted).toBeGreaterThanOrEqual(least)

      // Unused leases are returned after a pause; requests without a pause may use them in addition to the refill.
      const again = await callOften({ ...from, atOnce: QUOTA, everyMs: 0, turns: 1 })
      expect(granted + again.granted).toBeLessThanOrEqual(
        most + Math.ceil(again.seconds * PER_SECOND) + PROCESSES * LEASE,
      )
      expect(fleet.printed()).toBe('')
    })
  },
)
