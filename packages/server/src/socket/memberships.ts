import type { SessionDependencies } from './session-dependencies.ts'
import type { Position } from '@sdk/protocol'
import { END, type ConnectionEnd } from './connection-end.ts'
import type { EnginePosition } from '../engine/engine.ts'
import { httpError } from '../http/http-error.ts'
import { errorFields, type Log } from '../log/log.ts'
import type { LinkOwner } from './client-link.ts'
import type { PresenceListener } from './presence-feed.ts'
import type { RoomListener, RoomSubscription } from './rooms.ts'
import type { SharedText } from './transport.ts'

/** The positions that a client claims to have reached in rooms. */
export type Positions = ReadonlyMap<string, Position>

/** A session that can join rooms. */
export interface RoomMember extends LinkOwner {
  readonly start: { readonly id: string; readonly log: Log }
  readonly deps: Pick<SessionDependencies, 'engine' | 'rooms' | 'presence' | 'limits' | 'ids' | 'log'>
  /** Ends the connection. */
  refuse(end: ConnectionEnd, reason?: string): void
}

/** Options for a membership. */
export interface JoinRequest {
  /** The data that other members see, serialized as JSON. */
  readonly presence: string
  /** The listener for changes to the room's members, or null. */
  readonly onPresence: PresenceListener | null
}

interface Membership {
  readonly subscription: RoomSubscription
  request: JoinRequest
  /** Stops calling `onPresence`. */
  unwatch(): void
}

/** Empty maps that clients share, because most have no rooms or previous positions. They must never be modified. */
const NO_ROOMS = new Map<string, Membership>()
const NO_POSITIONS = new Map<string, Position>()

/** The rooms that one client is in. */
export class Memberships implements RoomListener {
  readonly #member: RoomMember
  #joined = NO_ROOMS
  /** The positions that the client claims in rooms that it has not rejoined yet. */
  #positions = NO_POSITIONS

  constructor(who: RoomMember) {
    this.#member = who
  }

  get isSdk(): boolean {
    return this.#member.isSdk
  }

  /**
   * Joins a room and resumes from the client's claimed position. `reached` is the last position that this process has
   * delivered.
   */
  async join(room: string, request: JoinRequest, reached: EnginePosition | null = null): Promise<void> {
    const joined = this.#joined.get(room)
    this.#assertPresence(request)
    if (joined !== undefined) {
      joined.request = request
      await joined.subscription.ready
      return this.#enter(room, joined)
    }
    this.#assertRoom(room)
    const [epoch, offset] = this.#positions.get(room) ?? []
    this.#positions.delete(room)
    const start = epoch === undefined || offset === undefined ? undefined : { epoch, offset, reached }
    const subscription = this.#member.deps.rooms.join(room, this, start)
    const now: Membership = { subscription, request, unwatch() {} }
    if (this.#joined === NO_ROOMS) this.#joined = new Map()
    this.#joined.set(room, now)
    try {
      await subscription.ready
      // A disconnected client is not subscribed. When it reconnects, it resumes from its position in the room.
      if (this.#member.link === null) subscription.leave()
      await this.#enter(room, now)
    } catch (error) {
      if (this.#joined.get(room) === now) this.#joined.delete(room)
      subscription.leave()
      throw error
    }
  }

  leave(room: string): void {
    const joined = this.#joined.get(room)
    if (joined === undefined) return
    this.#joined.delete(room)
    this.#unsubscribe(room, joined)
    if (this.isSdk) this.#member.link?.sendFrame({ o: 'left', s: room })
  }

  /** Rejoins all rooms after a reconnect, each at the client's position. */
  attach(positions: Positions): void {
    const before = [...this.#joined]
    this.#joined.clear()
    this.#positions = positions.size + before.length === 0 ? NO_POSITIONS : new Map(positions)
    for (const [room, { subscription, request, unwatch }] of before) {
      subscription.leave()
      unwatch()
      // A client that has no position yet resumes from the start of its subscription.
      const { epoch, offset } = subscription.startedAt ?? { epoch: '', offset: 0 }
      if (!this.#positions.has(room)) {
        this.#positions.set(room, [epoch, offset])
        if (epoch !== '') this.onPosition(room, { epoch, offset })
      }
      this.join(room, request, subscription.reached).catch((error: unknown) => {
        this.#member.deps.log.error('could not subscribe to room', { room, ...errorFields(error) })
        if (!this.#joined.has(room)) this.#sendGap(room, offset)
      })
    }
  }

  /** Unsubscribes a disconnected client from its rooms, but keeps its memberships. */
  detach(): void {
    for (const [room, joined] of this.#joined) this.#unsubscribe(room, joined)
  }

  /** Resumes delivery after the connection's buffer has drained. */
  onDrain(): void {
    for (const { subscription } of this.#joined.values()) subscription.resume()
  }

  /** Reports a gap for each previous room that `open` did not rejoin. */
  reportUnjoined(): void {
    for (const [room, [, offset]] of this.#positions) this.#sendGap(room, offset)
    this.#positions.clear()
  }

  deliver(shared: SharedText): boolean {
    return this.#member.link?.sendShared(shared) ?? false
  }

  onPosition(room: string, { epoch, offset }: EnginePosition): void {
    if (this.isSdk) this.#member.link?.sendFrame({ o: 'at', s: room, e: epoch, i: offset })
  }

  onGap(room: string, from: EnginePosition, to: EnginePosition): void {
    const { link } = this.#member
    if (this.isSdk) link?.sendFrame({ o: 'gap', s: room, from: from.offset, to: to.offset })
    else link?.close(END.slowConsumer)
  }

  /** Disconnects the client and removes it from all rooms. If it reconnects, `open` decides which rooms it joins. */
  onDisconnect(reason: string): void {
    this.#member.refuse(END.disconnect, reason)
    this.detach()
    this.#joined.clear()
  }

  #assertRoom(room: string): void {
    const { rooms, roomName } = this.#member.deps.limits
    if (room === '' || room.length > roomName)
      throw new TypeError(`a room name must have 1 to ${roomName} characters, got ${room.length}`)
    if (this.#joined.size >= rooms) throw httpError('TOO_MANY_REQUESTS', `a client can join at most ${rooms} rooms`)
  }

  /** Limits the size of `presence`, because every member of the room receives it on every change. */
  #assertPresence({ presence }: JoinRequest): void {
    const { presence: limit } = this.#member.deps.limits
    if (presence.length > limit)
      throw httpError(
        'CONTENT_TOO_LARGE',
        `presence must have at most ${limit} characters when serialized as JSON, got ${presence.length}`,
      )
  }

  async #enter(room: string, joined: Membership): Promise<void> {
    const { engine, presence } = this.#member.deps
    const id = this.#presenceId()
    const { presence: data, onPresence } = joined.request
    if (this.#member.link !== null) await engine.presence.join(room, { id, data })
    // The client may have left the room or disconnected in the meantime. If it has rejoined, the newer call takes over.
    const now = this.#joined.get(room)
    if (this.#member.link === null || now === undefined) return engine.presence.leave(room, id)
    if (now !== joined) return
    joined.unwatch()
    if (onPresence !== null) joined.unwatch = presence.watch(room, onPresence)
    if (presence.has(room)) presence.notifyChanged(room)
  }

  /**
   * Returns the client's id in rooms. The id includes the process: when a client moves to another process, it leaves
   * the room in the old process but remains in it in the new one.
   */
  #presenceId(): string {
    return `${this.#member.start.id}.${this.#member.deps.ids.node}`
  }

  #sendGap(room: string, offset: number): void {
    if (this.isSdk) this.#member.link?.sendFrame({ o: 'gap', s: room, from: offset, to: offset })
  }

  #unsubscribe(room: string, { subscription, unwatch }: Membership): void {
    const { deps } = this.#member
    const isWatched = deps.presence.has(room)
    subscription.leave()
    unwatch()
    deps.engine.presence.leave(room, this.#presenceId()).then(
      () => isWatched && deps.presence.notifyChanged(room),
      (error: unknown) => deps.log.warn('could not remove client from room presence', { room, ...errorFields(error) }),
    )
  }
}
