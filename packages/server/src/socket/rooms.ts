import { encodeFrame } from '@sdk/protocol'
import type { Engine, EngineFrame, EnginePosition, EngineSubscription } from '../engine/engine.ts'
import { errorFields, type Log } from '../log/log.ts'
import type { SharedText } from './transport.ts'

/** Who hears a room. */
export interface RoomListener {
  readonly isSdk: boolean
  /** Takes a message of a room; false where it is too slow just now, or away: then nothing was taken. */
  deliver(shared: SharedText): boolean
  /** Its place in a room is this. */
  onPosition(room: string, position: EnginePosition): void
  /** Messages between these places are lost to it. */
  onGap(room: string, from: EnginePosition, to: EnginePosition): void
  /** Everybody in the room is sent away. */
  onDisconnect(reason: string): void
}

/** Where a listener says that it stood before. */
interface ResumePosition extends EnginePosition {
  /** How far it had come here: it cannot have come further, and what was said behind that it must not pass over. */
  readonly reached?: EnginePosition | null
}

/** Before the reason of a dismissal. No JSON begins so: what is published is never taken for one. */
const DISCONNECT_PREFIX = '!'

/** What those who are sent away are told where nobody says why. */
export const DISCONNECT_REASON = 'you were sent away'

/** How many messages are read at once for who has fallen behind. */
const HISTORY_PAGE = 100

/** The rooms of one process, joined to those of the others by the engine. */
export interface Rooms {
  /** Subscribes; `from` is where the listener was before. */
  join(room: string, listener: RoomListener, from?: ResumePosition): RoomSubscription
  /** Sends a message, as JSON text, to everyone in a room. */
  publish(room: string, json: string): Promise<void>
  /** Sends everybody away who is in a room, who keeps up behind what was said there before. */
  disconnect(room: string, reason: string): Promise<void>
}

/** The rooms over an engine. */
export function createRooms(engine: Engine, log: Log): Rooms {
  const rooms = new Map<string, Room>()
  return {
    join(name, listener, from) {
      const room = rooms.get(name) ?? new Room(name, { engine, log, onEmpty: () => rooms.delete(name) })
      rooms.set(name, room)
      return new RoomSubscription(room, listener, from)
    },
    async publish(name, json) {
      await engine.publish(assertRoom(name), json)
    },
    async disconnect(name, reason) {
      await engine.publish(assertRoom(name), DISCONNECT_PREFIX + reason)
    },
  }
}

/** A name that was forgotten would reach nobody, without a word. */
function assertRoom(name: string): string {
  if (typeof name === 'string' && name !== '') return name
  throw new TypeError(`a room has a name, got ${JSON.stringify(name)}`)
}

interface RoomOptions {
  readonly engine: Engine
  readonly log: Log
  onEmpty(): void
}

class Room {
  readonly name: string
  readonly options: RoomOptions
  readonly #cursors = new Set<RoomSubscription>()
  readonly #opening: Promise<EngineSubscription>
  #subscription: EngineSubscription | null = null
  /** The place of the last message that was heard; null until the room is open. */
  last: EnginePosition | null = null

  constructor(name: string, options: RoomOptions) {
    this.name = name
    this.options = options
    this.#opening = options.engine.subscribe(name, (frame) => this.#onFrame(frame))
  }

  async enter(cursor: RoomSubscription): Promise<void> {
    this.#cursors.add(cursor)
    if (this.#subscription !== null) return cursor.start(this.last ?? this.#subscription.from)
    try {
      this.#subscription = await this.#opening
      this.last ??= this.#subscription.from
      // What came while it opened is in the history.
      cursor.start(this.#subscription.from)
    } catch (error) {
      this.leave(cursor)
      throw error
    }
  }

  leave(cursor: RoomSubscription): void {
    if (!this.#cursors.delete(cursor) || this.#cursors.size > 0) return
    this.options.onEmpty()
    this.#opening.then(
      (subscription) => subscription.end(),
      () => {}, // whoever joined was told
    )
  }

  has(cursor: RoomSubscription): boolean {
    return this.#cursors.has(cursor)
  }

  /** Every listener gets identical text, so each form is made once. */
  #onFrame(frame: EngineFrame): void {
    const before = this.last
    this.last = frame
    // An engine that was away for long may have lost some for good.
    const lost = before === null || distance(frame, before) === 1 ? null : before
    let framed: SharedText | undefined
    let bare: SharedText | undefined
    for (const cursor of this.#cursors) {
      if (cursor.isAhead) cursor.catchUpTo(frame)
      // Slow listeners too: when they get here, the history may not have it any more.
      if (cursor.disconnectOn(frame)) continue
      if (!cursor.isLive) continue
      if (lost !== null) cursor.reportGap(lost, { epoch: frame.epoch, offset: frame.offset - 1 })
      const shared = cursor.listener.isSdk ? (framed ??= toRoomFrame(frame)) : (bare ??= { text: frame.data })
      if (!cursor.listener.deliver(shared)) cursor.fallBehind(before ?? frame)
    }
  }
}

/** A listener's seat in a room. */
export class RoomSubscription {
  readonly listener: RoomListener
  /** Settles when the room is open. */
  readonly ready: Promise<void>
  readonly #room: Room
  #position: EnginePosition | null
  /** Where it began to listen; null while that is not known. */
  startedAt: EnginePosition | null = null
  /** How far it has come, whatever the listener says; null while that is not known. */
  reached: EnginePosition | null
  /** Has it every message that was heard so far? */
  isLive = false
  /** Has it messages that were not heard here yet, since another process was faster? */
  isAhead = false
  #isReading = false
  #shouldRead = false

  constructor(room: Room, listener: RoomListener, from: ResumePosition | undefined) {
    this.#room = room
    this.listener = listener
    this.#position = from ?? null
    this.reached = from?.reached ?? null
    if (from !== undefined && this.reached !== null && !(distance(from, this.reached) <= 0)) this.#skipTo(this.reached)
    this.ready = room.enter(this)
  }

  /** The room is open: who is new begins here, who was here before goes on where it stood. */
  start(head: EnginePosition): void {
    this.startedAt = this.#position ?? head
    this.reached ??= head
    if (!this.#room.has(this)) return // it has left meanwhile
    if (this.#position === null) {
      this.#position = head
      this.listener.onPosition(this.#room.name, head)
    }
    this.resume()
  }

  fallBehind(position: EnginePosition): void {
    this.isLive = false
    this.#advance(position)
  }

  /** What lies between these places is lost to it: it goes on behind. */
  reportGap(from: EnginePosition, to: EnginePosition): void {
    this.listener.onGap(this.#room.name, from, to)
    this.listener.onPosition(this.#room.name, to)
  }

  /** A message came that it may have had already. */
  catchUpTo(frame: EngineFrame): void {
    if (distance(this.#position, frame) > 0) return
    this.isAhead = false
    // Live from the next message on: this one it has.
    queueMicrotask(() => this.resume())
  }

  /** Sends the listener away where this is a dismissal. Who was away meets it when it is back; who came after it does not. */
  disconnectOn(frame: EngineFrame): boolean {
    const isDismissal = frame.data.startsWith(DISCONNECT_PREFIX) && !(distance(this.#position, frame) >= 0)
    if (isDismissal) this.listener.onDisconnect(frame.data.slice(DISCONNECT_PREFIX.length))
    return isDismissal
  }

  /** The listener can take messages again: tells it what came meanwhile. */
  resume(): void {
    this.#shouldRead = true
    if (!this.#isReading) void this.#read()
  }

  leave(): void {
    if (this.isLive) this.#advance(this.#head())
    this.isLive = false
    this.#room.leave(this)
  }

  /** At the end of the room: from now on it hears what comes. */
  #isAtHead(position: EnginePosition): boolean {
    return (this.isLive = distance(position, this.#head()) === 0 && this.#room.has(this))
  }

  #head(): EnginePosition {
    return this.#room.last ?? { epoch: '', offset: 0 }
  }

  async #read(): Promise<void> {
    this.#isReading = true
    while (this.#shouldRead && this.#position !== null && !this.isLive && !this.isAhead) {
      this.#shouldRead = false
      await this.#catchUp(this.#position)
    }
    this.#isReading = false
  }

  async #catchUp(from: EnginePosition): Promise<void> {
    let position: EnginePosition | null = from
    try {
      while (position !== null && this.#room.has(this) && !this.#isAtHead(position)) {
        const end = this.#head()
        const frames = await this.#room.options.engine.history(this.#room.name, position, HISTORY_PAGE)
        if (frames === 'gap' && distance(position, this.reached) === 0) return this.#skipToHead(position)
        if (frames === 'gap') position = this.#skipTo(this.reached ?? end)
        else if (frames.length > 0) position = this.#deliverAll(frames)
        // A message may overtake the answer that there is none: then it is asked for again.
        else if (distance(this.#head(), end) === 0) return this.#wait(position)
      }
    } catch (error) {
      // The messages cannot be read, so the listener is told of a gap.
      this.#room.options.log.warn('the history of a room cannot be read', {
        room: this.#room.name,
        ...errorFields(error),
      })
      this.#skipToHead(this.#position ?? from)
    }
  }

  /** Its new place; null where it could not take them all. */
  #deliverAll(frames: readonly EngineFrame[]): EnginePosition | null {
    for (const frame of frames) {
      if (!this.#room.has(this) || this.disconnectOn(frame)) return null
      if (!this.listener.deliver(this.listener.isSdk ? toRoomFrame(frame) : { text: frame.data })) return null
      this.#advance({ epoch: frame.epoch, offset: frame.offset })
    }
    return this.#position
  }

  /** There is nothing after its place, and still it is not at the end: the end has not been heard of here yet. */
  #wait(position: EnginePosition): void {
    this.#advance(position)
    this.isAhead = !this.#isAtHead(position)
  }

  #skipToHead(from: EnginePosition): void {
    const end = this.#head()
    this.#advance(end)
    this.isLive = this.#room.has(this)
    this.reportGap(from, end)
  }

  /** It has all up to here, as far as it can be had. */
  #advance(position: EnginePosition): void {
    this.#position = position
    if (!(distance(position, this.reached) < 0)) this.reached = position
  }

  /** It cannot go on from where it says: it does from where it was, or it would get past what sends it away. */
  #skipTo(position: EnginePosition): EnginePosition {
    this.reportGap(this.#position ?? position, position)
    return (this.#position = position)
  }
}

/** How many messages lie between two places; not a number where they cannot be compared. */
function distance(one: EnginePosition | null, other: EnginePosition | null): number {
  return one !== null && one.epoch === other?.epoch ? one.offset - other.offset : Number.NaN
}

function toRoomFrame({ stream, epoch, offset, data }: EngineFrame): SharedText {
  const head = encodeFrame({ o: 'm', s: stream, e: epoch, i: offset, d: 0 })
  return { text: `${head.slice(0, -2)}${data}}` } // the message is JSON text already: it replaces the 0
}
