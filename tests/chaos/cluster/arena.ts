import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Service, temporaryFolder } from '@sdk/test-kit'
import { describe } from 'vitest'
import { type Driver, DRIVERS } from '../../contract/drivers.ts'
import { choose } from '../mode.ts'
import { openMembers, type RoomMember } from './members.ts'
import { type Fleet, startFleet, startFront, untilReady } from './fleet.ts'
import { keepRequesting } from './http-client.ts'
import { keepSending, settle, unhandled } from './messages.ts'

/** The number of processes in a cluster. */
export const PROCESSES: number = choose(4, 2)

/** The number of clients and of rooms. */
export const CLIENTS: number = choose(2_000, 24)
export const ROOMS: number = choose(200, 4)

/** The messages per second of all clients together. */
const PER_SECOND = choose(300, 20)
/** HTTP requests per second. */
const REQUESTS = choose(20, 5)

/**
 * The engines of a file. tests/contract proves for each engine what a cluster relies on, so the short tests use one per
 * file: some files PostgreSQL, others Redis.
 */
export function enginesOf(short: 'postgresEngine' | 'redisEngine'): readonly Driver[] {
  const one = DRIVERS.filter(({ name }) => name === short)
  return choose(DRIVERS, one.length > 0 ? one : DRIVERS)
}

/** The engines, sequentially, or concurrently if the load is small. */
export const eachEngine: Pick<typeof describe, 'each'> = choose<Pick<typeof describe, 'each'>>(
  describe,
  describe.concurrent,
)

/** A cluster, the server of its engine, and its clients. */
export interface Arena {
  readonly server: Service
  readonly fleet: Fleet
  readonly members: readonly RoomMember[]
}

/** The results of a run. */
export interface Outcome {
  /** The client messages that no process handled. */
  readonly lost: readonly string[]
  readonly members: readonly RoomMember[]
  /** HTTP requests by status, and the number of retries. */
  readonly statuses: ReadonlyMap<number, number>
  readonly repeated: number
}

/** A way to disturb a cluster. */
export interface Scene {
  /** The time over which clients reconnect, in ms. */
  readonly spread: number
  trouble(arena: Arena): Promise<void>
}

/** Sends messages and requests continuously while the cluster is disturbed. Returns the results. */
export async function withMembers(driver: Driver, { spread, trouble }: Scene): Promise<Outcome> {
  const server = await driver.start()
  const folder = temporaryFolder('cluster')
  const notes = join(folder.path, 'notes')
  writeFileSync(notes, '')
  const fleet = await startFleet(PROCESSES, { engine: server.url, notes, spread })
  const front = await startFront(fleet.ports)
  try {
    await Promise.all(fleet.ports.map(untilReady))
    const members = await openMembers({ port: front.port, clients: CLIENTS, rooms: ROOMS })
    const requesting = keepRequesting(front.port, REQUESTS)
    const sending = keepSending(members, PER_SECOND)
    await trouble({ server, fleet, members })
    sending.stop()
    await settle(members)
    await requesting.stop()
    for (const member of members) member.close()
    const { statuses, repeated } = requesting
    return { lost: unhandled(members, notes), members, statuses, repeated }
  } finally {
    await Promise.all([fleet.end(), front.end()])
    await server.stop()
    folder.remove()
  }
}

/** Adds up a figure of all clients. */
export function sum(members: readonly RoomMember[], of: (member: RoomMember) => number): number {
  return members.reduce((total, one) => total + of(one), 0)
}

/** The figures of every scenario. */
export function figuresOf({ lost, members, statuses }: Outcome): Record<string, number> {
  return {
    messages: sum(members, ({ sent }) => sent()),
    lost: lost.length,
    gaps: sum(members, ({ messages, replies }) => messages.gaps + replies.gaps),
    received: sum(members, ({ messages, replies }) => messages.count + replies.numbers.length),
    requests: [...statuses.values()].reduce((total, count) => total + count, 0),
  }
}
