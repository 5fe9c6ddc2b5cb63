import { encodeFrame } from '@sdk/protocol'
import type { Engine, EngineFrame, EnginePosition, EngineSubscription } from '../engine/engine.ts'
import { errorFields, type Log } from '../log/log.ts'
import { leadOf, type Place } from './position.ts'
import type { SharedText } from './transport.ts'

/** Who hears a room. */
export interface Listener {
  readonly isSdk: boolean
  /** Takes a message of a room; false where it is too slow just now, or away: then nothing was taken. */
  take(shared: SharedText): boolean
  /** Its place in a room is this. */
  placed(room: string, place: EnginePosition): void
  /** Messages between these places are lost to it. */
  missed(room: string, from: EnginePosition, to: EnginePosition): void
  /** Everybody in the room is sent away. */
  dismiss(reason: string): void
}

/** A listener's seat in a room. */
export interface Seat {
  readonly room: string
  /** Where it began to listen; null while that is not known. */
  readonly began: EnginePosition | null
  /** How far it has come, whatever the listener says; null while that is not known. */
  readonly reached: EnginePosition | null
  /** The listener can take messages again: tells it what came meanwhile. */
  resume(): void
  leave(): void
}

/** The rooms of one process, joined to those of the others by the engine. */
export interface Rooms {
  /** Takes a seat; `place` is where the listener stood before, if it did. Settles when it hears the room. */
  join(room: string, listener: Listener, place?: Place): { seat: Seat; ready: Promise<void> }
  /** Sends a message, as JSON text, to everyone in a room. */
  publish(room: string, json: string): Promise<void>
  /** Sends everybody away who is in a room, who keeps up behind what was said there before. */
  disconnect(room: string, reason: string): Promise<void>
}

/** Before the reason of a dismissal. No JSON begins so: what is published is never taken for one. */
const DISMISSAL = '!'

/** What those who are sent away are told where nobody says why. */
export const DISCONNECTED = 'you were sent away'

/** How many messages are read at once for who has fallen behind. */
const PAGE = 100

/** The rooms over an engine. */
export function createRooms(engine: Engine, log: Log): Rooms {
  const rooms = new Map<string, Room>()
  return {
    join(name, listener, place) {
      let room = rooms.get(name)
      if (room === undefined) rooms.set(name, (room = new Room(name, { engine, log, ended: () => rooms.delete(name) })))
      const seat = new RoomSeat(room, listener, place)
      return { seat, ready: room.enter(seat) }
    },
    async publish(name, json) {
      await engine.publish(assertRoom(name), json)
    },
    async disconnect(name, reason) {
      await engine.publish(assertRoom(name), DISMISSAL + reason)
    },
  }
}

/** A name that was forgotten would reach nobody, without a word. */
function assertRoom(name: string): string {
  if (typeof name === 'string' && name !== '') return name
  throw new TypeError(`a room has a name, got ${JSON.stringify(name)}`)
}

interface RoomParts {
  readonly engine: Engine
  readonly log: Log
  ended(): void
}

class Room {
  readonly name: string
  readonly parts: RoomParts
  readonly #seats = new Set<RoomSeat>()
  readonly #opening: Promise<EngineSubscription>
  #subscription: EngineSubscription | null = null
  /** The place of the last message that was heard; null until the room is open. */
  last: EnginePosition | null = null

  constructor(name: string, parts: RoomParts) {
    this.name = name
    this.parts = parts
    this.#opening = parts.engine.subscribe(name, (frame) => this.#hear(frame))
  }

  async enter(seat: RoomSeat): Promise<void> {
    this.#seats.add(seat)
    if (this.#subscription !== null) return seat.place(this.last ?? this.#subscription.from)
    try {
      this.#subscription = await this.#opening
      this.last ??= this.#subscription.from
      // What came while it opened is in the history.
      seat.place(this.#subscription.from)
    } catch (error) {
      this.leave(seat)
      throw error
    }
  }

  leave(seat: RoomSeat): void {
    if (!this.#seats.delete(seat) || this.#seats.size > 0) return
    this.parts.ended()
    this.#opening.then(
      (subscription) => subscription.end(),
      () => {}, // whoever joined was told
    )
  }

  has(seat: RoomSeat): boolean {
    return this.#seats.has(seat)
  }

  /** Every listener gets identical text, so each form is made once. */
  #hear(frame: EngineFrame): void {
    const before = this.last
    this.last = frame
    // An engine that was away for long may have lost some for good.
    const lost = before === null || leadOf(frame, before) === 1 ? null : before
    let framed: SharedText | undefined
    let bare: SharedText | undefined
    for (const seat of this.#seats) {
      if (seat.isAhead) seat.reach(frame)
      // Slow listeners too: when they get here, the history may not have it any more.
      if (seat.isDismissed(frame)) continue
      if (!seat.isLive) continue
      if (lost !== null) seat.miss(lost, { epoch: frame.epoch, offset: frame.offset - 1 })
      const shared = seat.listener.isSdk ? (framed ??= toRoomFrame(frame)) : (bare ??= { text: frame.data })
      if (!seat.listener.take(shared)) seat.fallBehind(before ?? frame)
    }
  }
}

class RoomSeat implements Seat {
  readonly listener: Listener
  readonly #room: Room
  #place: EnginePosition | null
  began: EnginePosition | null = null
  reached: EnginePosition | null
  /** Has it every message that was heard so far? */
  isLive = false
  /** Has it messages that were not heard here yet, since another process was faster? */
  isAhead = false
  #isReading = false
  #isWanted = false

  constructor(room: Room, listener: Listener, place: Place | undefined) {
    this.#room = room
    this.listener = listener
    this.#place = place ?? null
    this.reached = place?.reached ?? null
    if (place !== undefined && this.reached !== null && !(leadOf(place, this.reached) <= 0)) this.#skipTo(this.reached)
  }

  get room(): string {
    return this.#room.name
  }

  /** The room is open: who is new begins here, who was here before goes on where it stood. */
  place(here: EnginePosition): void {
    this.began = this.#place ?? here
    this.reached ??= here
    if (!this.#room.has(this)) return // it has left meanwhile
    if (this.#place === null) {
      this.#place = here
      this.listener.placed(this.room, here)
    }
    this.resume()
  }

  fallBehind(place: EnginePosition): void {
    this.isLive = false
    this.#come(place)
  }

  /** What lies between these places is lost to it: it goes on behind. */
  miss(from: EnginePosition, to: EnginePosition): void {
    this.listener.missed(this.room, from, to)
    this.listener.placed(this.room, to)
  }

  /** A message came that it may have had already. */
  reach(frame: EngineFrame): void {
    if (leadOf(this.#place, frame) > 0) return
    this.isAhead = false
    // Live from the next message on: this one it has.
    queueMicrotask(() => this.resume())
  }

  /** Sends the listener away where this is a dismissal. Who was away meets it when it is back; who came after it does not. */
  isDismissed(frame: EngineFrame): boolean {
    const isDismissal = frame.data.startsWith(DISMISSAL) && !(leadOf(this.#place, frame) >= 0)
    if (isDismissal) this.listener.dismiss(frame.data.slice(DISMISSAL.length))
    return isDismissal
  }

  resume(): void {
    this.#isWanted = true
    if (!this.#isReading) void this.#read()
  }

  leave(): void {
    if (this.isLive) this.#come(this.#end())
    this.isLive = false
    this.#room.leave(this)
  }

  /** At the end of the room: from now on it hears what comes. */
  #isThere(place: EnginePosition): boolean {
    return (this.isLive = leadOf(place, this.#end()) === 0 && this.#room.has(this))
  }

  #end(): EnginePosition {
    return this.#room.last ?? { epoch: '', offset: 0 }
  }

  async #read(): Promise<void> {
    this.#isReading = true
    while (this.#isWanted && this.#place !== null && !this.isLive && !this.isAhead) {
      this.#isWanted = false
      await this.#catchUp(this.#place)
    }
    this.#isReading = false
  }

  async #catchUp(from: EnginePosition): Promise<void> {
    let place: EnginePosition | null = from
    try {
      while (place !== null && this.#room.has(this) && !this.#isThere(place)) {
        const end = this.#end()
        const frames = await this.#room.parts.engine.history(this.room, place, PAGE)
        if (frames === 'gap' && leadOf(place, this.reached) === 0) return this.#missAll(place)
        if (frames === 'gap') place = this.#skipTo(this.reached ?? end)
        else if (frames.length > 0) place = this.#takeAll(frames)
        // A message may overtake the answer that there is none: then it is asked for again.
        else if (leadOf(this.#end(), end) === 0) return this.#wait(place)
      }
    } catch (error) {
      // The messages cannot be read, so the listener is told of a gap.
      this.#room.parts.log.warn('the history of a room cannot be read', { room: this.room, ...errorFields(error) })
      this.#missAll(this.#place ?? from)
    }
  }

  /** Its new place; null where it could not take them all. */
  #takeAll(frames: readonly EngineFrame[]): EnginePosition | null {
    for (const frame of frames) {
      if (!this.#room.has(this) || this.isDismissed(frame)) return null
      if (!this.listener.take(this.#toShared(frame))) return null
      this.#come({ epoch: frame.epoch, offset: frame.offset })
    }
    return this.#place
  }

  #toShared(frame: EngineFrame): SharedText {
    return this.listener.isSdk ? toRoomFrame(frame) : { text: frame.data }
  }

  /** There is nothing after its place, and still it is not at the end: the end has not been heard of here yet. */
  #wait(place: EnginePosition): void {
    this.#come(place)
    this.isAhead = !this.#isThere(place)
  }

  #missAll(from: EnginePosition): void {
    const end = this.#end()
    this.#come(end)
    this.isLive = this.#room.has(this)
    this.miss(from, end)
  }

  /** It has all up to here, as far as it can be had. */
  #come(place: EnginePosition): void {
    this.#place = place
    if (!(leadOf(place, this.reached) < 0)) this.reached = place
  }

  /** It cannot go on from where it says: it does from where it was, or it would get past what sends it away. */
  #skipTo(place: EnginePosition): EnginePosition {
    this.miss(this.#place ?? place, place)
    return (this.#place = place)
  }
}

function toRoomFrame({ stream, epoch, offset, data }: EngineFrame): SharedText {
  const head = encodeFrame({ o: 'm', s: stream, e: epoch, i: offset, d: 0 })
  return { text: `${head.slice(0, -2)}${data}}` } // the message is JSON text already: it takes the place of the 0
}
