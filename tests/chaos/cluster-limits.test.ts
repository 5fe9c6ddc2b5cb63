import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '@sdk/test-kit'
import { DRIVERS } from '../contract/drivers.ts'
import { eachEngine, PROCESSES } from './cluster/arena.ts'
import { type Fleet, type Front, startFleet, startFront, untilReady } from './cluster/fleet.ts'
import { callOften, type Load } from './cluster/one-caller.ts'
import { addRow, choose } from './mode.ts'

const CLIENTS = 50
/** A minute. */
const QUOTA = choose(600, 120)
const PER_SECOND = QUOTA / 60
/** What a process may hold ahead of time: a sixtieth of the quota. */
const LEASE = QUOTA / 60

type Pattern = Pick<Load, 'atOnce' | 'everyMs' | 'turns'>
/** Many times what is granted, all the time. */
const STEADY: Pattern = choose({ atOnce: 2, everyMs: 20, turns: 3_000 }, { atOnce: 5, everyMs: 20, turns: 75 })
/** Crowds, each as many as the whole quota, and nobody in between. */
const BURSTY: Pattern = choose(
  { atOnce: QUOTA, everyMs: 5_000, turns: 13 },
  { atOnce: QUOTA, everyMs: 1_000, turns: 3 },
)

eachEngine.each(DRIVERS)(`${CLIENTS} clients who are one caller, at ${PROCESSES} processes on the $name`, (driver) => {
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
    ['all the time', STEADY, '192.0.2.1'],
    ['in crowds', BURSTY, '192.0.2.2'],
  ])(`get ${QUOTA} and what comes back with time, when they come %s`, async (how, pattern, address) => {
    const from = { port: front.port, clients: CLIENTS, address }
    const { granted, refused, others, seconds } = await callOften({ ...from, ...pattern })
    // The quota was whole. A process gives out only what the engine granted it, so what all gave out is what the engine
    // granted, less what they hold: at most the quota, at once, and then a unit each time one has come back.
    const most = QUOTA + Math.ceil(seconds * PER_SECOND)
    // And nothing is withheld but what the others hold, and what came back after the last ones had asked.
    const asking = ((pattern.turns - 1) * pattern.everyMs) / 1000
    const least = QUOTA + Math.floor(asking * PER_SECOND) - PROCESSES * LEASE
    addRow({ name: `one caller ${how} on the ${driver.name}`, granted, refused, least, most })
    expect(others).toEqual([])
    expect(granted).toBeLessThanOrEqual(most)
    expect(granted).toBeGreaterThanOrEqual(least)

    // What the processes hold is given back when nobody comes; who comes at once may have it on top of what came back.
    const again = await callOften({ ...from, atOnce: QUOTA, everyMs: 0, turns: 1 })
    expect(granted + again.granted).toBeLessThanOrEqual(
      most + Math.ceil(again.seconds * PER_SECOND) + PROCESSES * LEASE,
    )
    expect(fleet.printed()).toBe('')
  })
})
