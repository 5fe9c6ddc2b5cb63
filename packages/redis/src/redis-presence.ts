import type { EnginePresence, Log } from '@sdk/server'
import { keepLeases, type Room } from './leases.ts'
import { createPresenceStore } from './presence-store.ts'
import type { Sender } from './sender.ts'

/** Who is in which room, in Redis. */
export interface RedisPresence extends EnginePresence {
  /** Leaves all rooms. */
  close(): Promise<void>
}

/** What presence works with. */
export interface RedisPresenceParts {
  readonly send: Sender['send']
  readonly log: Log
  readonly prefix: string | undefined
  /** Seconds. */
  readonly lease: number | undefined
}

/** Renewals within a lease. */
const RENEWALS = 3

/** The presence in Redis. What this process entered has one lease for each room. */
export function createRedisPresence({ send, log, prefix = 'sdk', lease = 15 }: RedisPresenceParts): RedisPresence {
  const ms = Math.ceil(lease * 1000)
  const store = createPresenceStore({ send, prefix, lease: ms })
  const rooms = new Map<string, Room>()
  let stop: (() => void) | undefined

  return {
    async join(name, member) {
      const { members } = open(name)
      const before = members.get(member.id)
      members.set(member.id, member.data)
      try {
        await store.enter(name, member)
      } catch (error) {
        // Unless somebody else has changed it meanwhile.
        if (before !== undefined && members.get(member.id) === member.data) members.set(member.id, before)
        if (before === undefined) members.delete(member.id)
        open(name).isUnsure = true
        throw error
      }
    },
    async leave(name, id) {
      const room = rooms.get(name)
      if (room?.members.delete(id) !== true) return
      const isLast = room.members.size === 0
      if (isLast && !room.isUnsure) rooms.delete(name)
      try {
        await store.leave(name, [id], isLast)
      } catch (error) {
        open(name).isUnsure = true
        throw error
      }
    },
    list: store.list,
    async close() {
      stop?.()
      stop = () => undefined // nor is another begun
      const left = [...rooms].map(([name, { members }]) => store.leave(name, [...members.keys()], true))
      rooms.clear()
      await Promise.allSettled(left) // where Redis is away the leases end
    },
  }

  function open(name: string): Room {
    stop ??= keepLeases({ rooms, store, log, every: ms / RENEWALS })
    const room = rooms.get(name) ?? { members: new Map<string, string>(), isUnsure: false }
    rooms.set(name, room)
    return room
  }
}
