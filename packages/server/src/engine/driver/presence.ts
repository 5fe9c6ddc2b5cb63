import type { Log } from '../../log/log.ts'
import type { EngineMember, EnginePresence } from '../engine.ts'

/** The members that this process has in a room: what is told of each, by id. */
export type RoomMembers = ReadonlyMap<string, string>

/** The rooms that processes share, as one of them changes them: what a driver brings along. */
export interface PresenceStore {
  enter(room: string, member: EngineMember): Promise<void>
  /** These, and no others of this process. */
  enterAll(room: string, members: RoomMembers): Promise<void>
  /** Renews all rooms of this process, and gives those that could not be, as they are lost. */
  renew(rooms: readonly string[]): Promise<string[]>
  /** `isLast`: this process has no members there any more. */
  leave(room: string, ids: readonly string[], isLast: boolean): Promise<void>
  list(room: string): Promise<EngineMember[]>
  /** Changes where what was stored may be lost. */
  readRun(): Promise<string>
}

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
    stop ??= startLeaseRenewal(rooms, options)
    const room = rooms.get(name) ?? { members: new Map<string, string>(), isUncertain: false }
    rooms.set(name, room)
    return room
  }
}

/** The members of this process. */
interface LeasedRoom {
  readonly members: Map<string, string>
  /** May the store have other members than we? A call failed, or it lost its data. */
  isUncertain: boolean
}

/** Renews the leases of rooms until it is stopped, and enters again where something may be lost. */
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
      log.debug('leases will be renewed later', { error: String(error) })
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
