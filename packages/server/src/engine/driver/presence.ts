import type { Log } from '../../log/log.ts'
import type { EngineMember, EnginePresence } from '../engine.ts'

/** The data of this process's members in a room, by member id. */
export type RoomMembers = ReadonlyMap<string, string>

/** The store for shared rooms. Implemented by each engine driver. */
export interface PresenceStore {
  enter(room: string, member: EngineMember): Promise<void>
  /** Sets this process's members in a room, and removes any of its members that are not in `members`. */
  enterAll(room: string, members: RoomMembers): Promise<void>
  /** Renews this process's leases on rooms. Resolves with the rooms whose lease was lost. */
  renew(rooms: readonly string[]): Promise<string[]>
  /** Removes members from a room. `isLast` means that this process has no other members in the room. */
  leave(room: string, ids: readonly string[], isLast: boolean): Promise<void>
  list(room: string): Promise<EngineMember[]>
  /** Returns an identifier that changes when stored data may have been lost. */
  readRun(): Promise<string>
}

/** Room presence across all processes. */
export interface SharedPresence extends EnginePresence {
  /** Leaves all rooms. */
  close(): Promise<void>
}

/** Options for `createSharedPresence`. */
export interface SharedPresenceOptions {
  readonly store: PresenceStore
  readonly log: Log
  /** The duration of a lease, in ms. Members expire if their lease is not renewed. */
  readonly lease: number
}

/** The number of renewals per lease. */
const RENEWALS_PER_LEASE = 3

/** Creates room presence on top of a store. This process's leases are renewed until `close` is called. */
export function createSharedPresence(options: SharedPresenceOptions): SharedPresence {
  const { store } = options
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
        // Restore the previous data, unless a concurrent call has changed it.
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
      stop = () => undefined // prevents a new renewal timer
      const left = [...rooms].map(([name, { members }]) => store.leave(name, [...members.keys()], true))
      rooms.clear()
      await Promise.allSettled(left) // if the store is unavailable, the leases expire
    },
  }

  function open(name: string): LeasedRoom {
    stop ??= startLeaseRenewal(rooms, options)
    const room = rooms.get(name) ?? { members: new Map<string, string>(), isUncertain: false }
    rooms.set(name, room)
    return room
  }
}

/** A room and this process's members in it. */
interface LeasedRoom {
  readonly members: Map<string, string>
  /** Whether the members in the store may differ from `members`, because a call failed or the store lost data. */
  isUncertain: boolean
}

/** Renews room leases, and rejoins rooms whose members may have been lost. Returns a function that stops renewal. */
function startLeaseRenewal(rooms: Map<string, LeasedRoom>, { store, log, lease }: SharedPresenceOptions): () => void {
  let lastRun: string | undefined
  let isRenewing = false
  const timer = setInterval(() => void renewAll(), lease / RENEWALS_PER_LEASE).unref()
  return () => clearInterval(timer)

  async function renewAll(): Promise<void> {
    if (isRenewing) return
    isRenewing = true
    try {
      const run = await store.readRun()
      if (run !== lastRun) for (const room of rooms.values()) room.isUncertain = true
      lastRun = run
      await renew([...rooms.keys()])
    } catch (error) {
      log.debug('presence leases could not be renewed; retrying', { error: String(error) })
    } finally {
      isRenewing = false
    }
  }

  async function renew(names: readonly string[]): Promise<void> {
    const sure = names.filter((name) => rooms.get(name)?.isUncertain === false)
    const lost = new Set(await store.renew(sure))
    for (const name of names) {
      const room = rooms.get(name)
      if (room !== undefined && (room.isUncertain || lost.has(name))) await enterAgain(name, room)
    }
  }

  async function enterAgain(name: string, room: LeasedRoom): Promise<void> {
    room.isUncertain = false
    try {
      await store.enterAll(name, room.members)
    } catch (error) {
      room.isUncertain = true
      throw error
    }
    if (room.members.size === 0 && !room.isUncertain) rooms.delete(name)
  }
}
