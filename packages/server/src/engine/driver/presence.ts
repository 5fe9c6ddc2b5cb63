import type { Log } from '../../log/log.ts'
import type { EnginePresence } from '../engine.ts'
import { startLeaseRenewal, type LeasedRoom } from './leases.ts'
import type { PresenceStore } from './presence-store.ts'

/** Who is in which room, in all processes. */
export interface SharedPresence extends EnginePresence {
  /** Leaves all rooms. */
  close(): Promise<void>
}

/** What presence works with. */
export interface SharedPresenceOptions {
  readonly store: PresenceStore
  readonly log: Log
  /** Milliseconds after which what is not renewed ends. */
  readonly lease: number
}

/** Renewals within a lease. */
const RENEWALS_PER_LEASE = 3

/** Presence over a store. What this process entered is renewed while it lives. */
export function createSharedPresence({ store, log, lease }: SharedPresenceOptions): SharedPresence {
  const rooms = new Map<string, LeasedRoom>()
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
        open(name).isUncertain = true
        throw error
      }
    },
    async leave(name, id) {
      const room = rooms.get(name)
      if (room?.members.delete(id) !== true) return
      const isLast = room.members.size === 0
      if (isLast && !room.isUncertain) rooms.delete(name)
      try {
        await store.leave(name, [id], isLast)
      } catch (error) {
        open(name).isUncertain = true
        throw error
      }
    },
    list: store.list,
    async close() {
      stop?.()
      stop = () => undefined // nor is another begun
      const left = [...rooms].map(([name, { members }]) => store.leave(name, [...members.keys()], true))
      rooms.clear()
      await Promise.allSettled(left) // where the store is out of reach the leases end
    },
  }

  function open(name: string): LeasedRoom {
    stop ??= startLeaseRenewal({ rooms, store, log, every: lease / RENEWALS_PER_LEASE })
    const room = rooms.get(name) ?? { members: new Map<string, string>(), isUncertain: false }
    rooms.set(name, room)
    return room
  }
}
