import type { SessionParts } from './session-parts.ts'
import { CLOSE, type Position } from '@sdk/protocol'
import type { EnginePosition } from '../engine/engine.ts'
import { refuse } from '../http/http-error.ts'
import { errorFields, type Log } from '../log/log.ts'
import type { Addressee } from './client-link.ts'
import type { PresenceListener } from './presence-feed.ts'
import type { Listener, Seat } from './rooms.ts'
import type { SharedText } from './transport.ts'

/** The places in rooms that a client says it has. */
export type Places = ReadonlyMap<string, Position>

/** Who is in rooms. */
export interface Member extends Addressee {
  readonly start: { readonly id: string; readonly log: Log }
  readonly parts: Pick<SessionParts, 'engine' | 'rooms' | 'presence' | 'limits' | 'ids' | 'log'>
  /** Ends the connection. */
  refuse(code: number, reason: string): void
}

/** What a client has in a room beside its seat. */
export interface Joining {
  /** What others may know, as JSON text. */
  readonly presence: string
  /** Told who is there; null where nobody asks. */
  readonly onPresence: PresenceListener | null
}

interface Joined {
  readonly seat: Seat
  /** Settles when it hears the room. */
  readonly ready: Promise<void>
  as: Joining
  /** Ends what `onPresence` is told. */
  unwatch(): void
}

/** Most clients are in no room, or in none that they left: they share these maps, which stay empty. */
const NO_ROOMS = new Map<string, Joined>()
const NO_PLACES = new Map<string, Position>()

/** The rooms that one client is in. */
export class Memberships implements Listener {
  readonly #who: Member
  #joined = NO_ROOMS
  /** The places that the client says it had, in rooms that it has not joined again yet. */
  #places = NO_PLACES

  constructor(who: Member) {
    this.#who = who
  }

  get isSdk(): boolean {
    return this.#who.isSdk
  }

  /** Enters a room, and hears it from where the client stood before; `reached` is how far it had come here. */
  async join(room: string, as: Joining, reached: EnginePosition | null = null): Promise<void> {
    const joined = this.#joined.get(room)
    if (joined !== undefined) {
      joined.as = as
      await joined.ready
      return this.#enter(room, joined)
    }
    this.#assertRoom(room)
    const [epoch, offset] = this.#places.get(room) ?? []
    this.#places.delete(room)
    const place = epoch === undefined || offset === undefined ? undefined : { epoch, offset, reached }
    const { seat, ready } = this.#who.parts.rooms.join(room, this, place)
    const now: Joined = { seat, ready, as, unwatch() {} }
    if (this.#joined === NO_ROOMS) this.#joined = new Map()
    this.#joined.set(room, now)
    try {
      await ready
      // A client that is away has no seat: when it is back, it begins here.
      if (this.#who.link === null) seat.leave()
      await this.#enter(room, now)
    } catch (error) {
      if (this.#joined.get(room) === now) this.#joined.delete(room)
      seat.leave()
      throw error
    }
  }

  leave(room: string): void {
    const joined = this.#joined.get(room)
    if (joined === undefined) return
    this.#joined.delete(room)
    this.#leaveSeat(room, joined)
    if (this.isSdk) this.#who.link?.tell({ o: 'left', s: room })
  }

  /** The client is back: it hears its rooms from where it stood. */
  attach(places: Places): void {
    const before = [...this.#joined]
    this.#joined.clear()
    this.#places = places.size + before.length === 0 ? NO_PLACES : new Map(places)
    for (const [room, { seat, as, unwatch }] of before) {
      seat.leave()
      unwatch()
      // A client that does not know its place yet begins where its seat began.
      const { epoch, offset } = seat.began ?? { epoch: '', offset: 0 }
      if (!this.#places.has(room)) {
        this.#places.set(room, [epoch, offset])
        if (epoch !== '') this.placed(room, { epoch, offset })
      }
      this.join(room, as, seat.reached).catch((error: unknown) => {
        this.#who.parts.log.error('a room cannot be heard', { room, ...errorFields(error) })
        if (!this.#joined.has(room)) this.#tellGap(room, offset)
      })
    }
  }

  /** The client is away: it stays a member of its rooms, and hears nothing. */
  detach(): void {
    for (const [room, joined] of this.#joined) this.#leaveSeat(room, joined)
  }

  /** The client can take messages again. */
  drained(): void {
    for (const { seat } of this.#joined.values()) seat.resume()
  }

  /** Tells the client of the rooms that it heard before and that `open` did not join again. */
  tellOthers(): void {
    for (const [room, [, offset]] of this.#places) this.#tellGap(room, offset)
    this.#places.clear()
  }

  take(shared: SharedText): boolean {
    return this.#who.link?.sendShared(shared) ?? false
  }

  placed(room: string, { epoch, offset }: EnginePosition): void {
    if (this.isSdk) this.#who.link?.tell({ o: 'at', s: room, e: epoch, i: offset })
  }

  missed(room: string, from: EnginePosition, to: EnginePosition): void {
    const { link } = this.#who
    if (this.isSdk) link?.tell({ o: 'gap', s: room, from: from.offset, to: to.offset })
    else link?.close(CLOSE.slowConsumer, 'too slow')
  }

  /** It is in no room any more: should the client come back, `open` says where it may be. */
  dismiss(reason: string): void {
    this.#who.refuse(CLOSE.forbidden, reason)
    this.detach()
    this.#joined.clear()
  }

  #assertRoom(room: string): void {
    const { rooms, roomName } = this.#who.parts.limits
    if (room === '' || room.length > roomName)
      throw new TypeError(`the name of a room has 1 to ${roomName} characters, got ${room.length}`)
    if (this.#joined.size >= rooms) throw refuse('TOO_MANY_REQUESTS', `a client is in at most ${rooms} rooms`)
  }

  async #enter(room: string, joined: Joined): Promise<void> {
    const { engine, presence } = this.#who.parts
    const id = this.#seatName()
    const { presence: data, onPresence } = joined.as
    if (this.#who.link !== null) await engine.presence.join(room, { id, data })
    // The client may have left the room, or gone away, meanwhile. If it has joined again, that call goes on.
    const now = this.#joined.get(room)
    if (this.#who.link === null || now === undefined) return engine.presence.leave(room, id)
    if (now !== joined) return
    joined.unwatch()
    if (onPresence !== null) joined.unwatch = presence.watch(room, onPresence)
    if (presence.has(room)) presence.changed(room)
  }

  /** Has the process in it: a client that has moved to another one leaves the room here, and not there. */
  #seatName(): string {
    return `${this.#who.start.id}.${this.#who.parts.ids.node}`
  }

  #tellGap(room: string, offset: number): void {
    if (this.isSdk) this.#who.link?.tell({ o: 'gap', s: room, from: offset, to: offset })
  }

  #leaveSeat(room: string, { seat, unwatch }: Joined): void {
    const { parts } = this.#who
    const isWatched = parts.presence.has(room)
    seat.leave()
    unwatch()
    parts.engine.presence.leave(room, this.#seatName()).then(
      () => isWatched && parts.presence.changed(room),
      (error: unknown) => parts.log.warn('a room was not told who left', { room, ...errorFields(error) }),
    )
  }
}
