import type { EngineMember } from '@sdk/server'
import type { PresenceStore } from '@sdk/server/engine'
import { callAll, type ScriptCall } from './pipeline.ts'
import type { Sender } from './sender.ts'

const PROCESS_NAME_LENGTH = 12

/** The number of rooms renewed per round trip. It is limited so that other commands do not wait long. */
const RENEWALS_PER_PIPELINE = 100

/** Creates the presence store in Redis. `lease` is in milliseconds. */
export function createRedisPresence({ send }: Pick<Sender, 'send'>, lease: number, prefix = 'sdk'): PresenceStore {
  const self = crypto.randomUUID().slice(-PROCESS_NAME_LENGTH)
  // Both keys have the same hash tag, so they are on the same cluster node.
  const keysOf = (room: string): [members: string, leases: string] => [
    `{${prefix}:${room}}:members`,
    `{${prefix}:${room}}:leases`,
  ]

  return {
    async enter(room, { id, data }) {
      await send(data.length, (redis) => redis.sdkEnter(...keysOf(room), self, lease, 'one', id, data))
    },
    async enterAll(room, members) {
      await send(0, (redis) => redis.sdkEnter(...keysOf(room), self, lease, 'all', ...[...members].flat()))
    },
    async renew(rooms) {
      const lost: string[] = []
      for (let at = 0; at < rooms.length; at += RENEWALS_PER_PIPELINE) {
        const some = rooms.slice(at, at + RENEWALS_PER_PIPELINE)
        const calls = some.map((room): ScriptCall => ['sdkRenew', ...keysOf(room), self, lease])
        const replies = await send(0, (redis) => callAll(redis, calls))
        lost.push(...some.filter((_, index) => replies[index] === 0))
      }
      return lost
    },
    async leave(room, ids, isLast) {
      await send(0, (redis) => redis.sdkLeave(...keysOf(room), self, isLast ? 'all' : 'one', ...ids))
    },
    async list(room) {
      return toEngineMembers(await send(0, (redis) => redis.sdkList(...keysOf(room), self)))
    },
    readRun: () => send(0, (_redis, run) => Promise.resolve(run)),
  }
}

/**
 * Returns the members. A member that is in two processes, for example because its session has just moved, is returned
 * once, with the later entry.
 */
function toEngineMembers(reply: readonly string[]): EngineMember[] {
  const latest = new Map<string, { at: number; data: string }>()
  for (let index = 0; index + 1 < reply.length; index += 2) {
    const id = reply[index]?.slice(PROCESS_NAME_LENGTH) ?? ''
    const value = reply[index + 1] ?? ''
    const space = value.indexOf(' ')
    const at = Number(value.slice(0, space))
    if (at >= (latest.get(id)?.at ?? 0)) latest.set(id, { at, data: value.slice(space + 1) })
  }
  const members = Array.from(latest, ([id, { data }]) => ({ id, data }))
  return members.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
