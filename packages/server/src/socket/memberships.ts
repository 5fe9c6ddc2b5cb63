import { CLOSE, type Position } from '@sdk/protocol'
import type { EnginePosition } from '../engine/engine.ts'
import { refuse } from '../http/refusal.ts'
import { errorFields, type Log } from '../log/log.ts'
import type { Addressee } from './link.ts'
import type { Listener, Seat } from './rooms.ts'
import type { SessionParts } from './session.ts'
import type { SharedText } from './wire.ts'

/** The places in rooms that a client says it has. */
export type Places = ReadonlyMap<string, Position>

/** Who is in rooms. */
export interface Member extends Addressee {
  readonly start: { readonly id: string; readonly log: Log }
  readonly parts: Pick<SessionParts, 'engine' | 'rooms' | 'limits' | 'ids'>
}

interface Joined {
  readonly seat: Seat
  /** Settles when it hears the room. */
  readonly ready: Promise<void>
  presence: string
}

/** Most clients are in no room, or in none that they left: they share these maps, which stay empty. */
const NO_ROOMS = new Map<string, Joined>()
const NO_PLACES = new Map<string, Position>()

/** The rooms that one client is in. */
export class Memberships implements Listener {
  readonly #who: Member
  #joined = NO_ROOMS
  /** Where the client says it stood in rooms that it is not in again yet. */
  #places = NO_PLACES

  constructor(who: Member) {
    this.#who = who
  }

  get isSdk(): boolean {
    return this.#who.isSdk
  }

  /** Enters a room, and hears it from where the client stood before; `presence` is what others may know, as JSON text. */
  async join(room: string, presence: string): Promise<void> {
    const joined = this.#joined.get(room)
    if (joined !== undefined) {
      joined.presence = presence
      await joined.ready
      return this.#enter(room, presence)
    }
    this.#assertRoom(room)
    const [epoch, offset] = this.#places.get(room) ?? []
    this.#places.delete(room)
    const place = epoch === undefined || offset === undefined ? undefined : { epoch, offset }
    const { seat, ready } = this.#who.parts.rooms.join(room, this, place)
    if (this.#joined === NO_ROOMS) this.#joined = new Map()
    this.#joined.set(room, { seat, ready, presence })
    try {
      await ready
      // One that is away takes no seat: it begins here when it is back.
      if (this.#who.link === null) seat.leave()
      await this.#enter(room, presence)
    } catch (error) {
      if (this.#joined.get(room)?.seat === seat) this.#joined.delete(room)
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
    for (const [room, { seat, presence }] of before) {
      seat.leave()
      // One that was lost before it could say where it was begins where it did.
      const { epoch, offset } = seat.began ?? { epoch: '', offset: 0 }
      if (!this.#places.has(room)) {
        this.#places.set(room, [epoch, offset])
        if (epoch !== '') this.placed(room, { epoch, offset })
      }
      this.join(room, presence).catch((error: unknown) => {
        this.#who.start.log.error('a room cannot be heard', { room, ...errorFields(error) })
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

  /** What the client heard before and hears no longer, it must not wait for in silence. */
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

  #assertRoom(room: string): void {
    const { rooms, roomName } = this.#who.parts.limits
    if (room === '' || room.length > roomName)
      throw new TypeError(`the name of a room has 1 to ${roomName} characters, got ${room.length}`)
    if (this.#joined.size >= rooms) throw refuse('TOO_MANY_REQUESTS', `a client is in at most ${rooms} rooms`)
  }

  async #enter(room: string, data: string): Promise<void> {
    const { presence } = this.#who.parts.engine
    const id = this.#seatName()
    if (this.#who.link !== null) await presence.join(room, { id, data })
    // It may have left, or gone away, meanwhile.
    if (this.#who.link === null || !this.#joined.has(room)) await presence.leave(room, id)
  }

  /** With the process: who has moved to another one must not be taken out there when this one hears of it. */
  #seatName(): string {
    return `${this.#who.start.id}.${this.#who.parts.ids.node}`
  }

  #tellGap(room: string, offset: number): void {
    if (this.isSdk) this.#who.link?.tell({ o: 'gap', s: room, from: offset, to: offset })
  }

  #leaveSeat(room: string, { seat }: Joined): void {
    const { start, parts } = this.#who
    seat.leave()
    parts.engine.presence.leave(room, this.#seatName()).catch((error: unknown) => {
      start.log.warn('a room was not told who left', { room, ...errorFields(error) })
    })
  }
}
