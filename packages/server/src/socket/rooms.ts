import { encodeFrame } from '@sdk/protocol'
import type { Engine, EngineFrame, EnginePosition, EngineSubscription } from '../engine/engine.ts'
import { errorFields, type Log } from '../log/log.ts'
import { assertRoomName } from './room-name.ts'
import type { SharedText } from './transport.ts'

/** A subscriber to a room. */
export interface RoomListener {
  readonly isSdk: boolean
  /** Delivers a message. Returns false, and delivers nothing, if the client is too slow or disconnected. */
  deliver(shared: SharedText): boolean
  /** Called with the listener's new position in a room. */
  onPosition(room: string, position: EnginePosition): void
  /** Called when the listener has lost the messages between two positions. */
  onGap(room: string, from: EnginePosition, to: EnginePosition): void
  /** Called when the app disconnects all clients in the room. */
  onDisconnect(reason: string): void
}

/** The position that a listener claims to have reached, and from which it resumes. */
interface ResumePosition extends EnginePosition {
  /** The last position that this process delivered. The claim must not exceed it, or a disconnect could be skipped. */
  readonly reached?: EnginePosition | null
}

/** The prefix of disconnect messages, followed by the reason. No JSON starts with it, so no other message matches. */
const DISCONNECT_PREFIX = '!'

/** The default reason for a disconnect. */
export const DISCONNECT_REASON = 'disconnected by the server'

/** The number of messages that are read from the history at a time. */
const HISTORY_PAGE = 100

/** The rooms of one process. The engine connects them to the rooms of other processes. */
export interface Rooms {
  /** Subscribes a listener; `from` is its previous position. */
  join(room: string, listener: RoomListener, from?: ResumePosition): RoomSubscription
  /** Sends a message, as JSON text, to every client in a room. */
  publish(room: string, json: string): Promise<void>
  /** Disconnects every client in a room. Clients that keep up receive all earlier messages first. */
  disconnect(room: string, reason: string): Promise<void>
}

/** Creates the rooms of a process. */
export function createRooms(engine: Engine, log: Log): Rooms {
  const rooms = new Map<string, Room>()
  return {
    join(name, listener, from) {
      assertRoomName(name)
      const room = rooms.get(name) ?? new Room(name, { engine, log, onEmpty: () => rooms.delete(name) })
      rooms.set(name, room)
      return new RoomSubscription(room, listener, from)
    },
    async publish(name, json) {
      await engine.publish(assertRoomName(name), json)
    },
    async disconnect(name, reason) {
      await engine.publish(assertRoomName(name), DISCONNECT_PREFIX + reason)
    },
  }
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
  /** The position of the last received message; null until the room is open. */
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
      // Messages that arrived while the room was opening are in the history.
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
      () => {}, // the callers of `join` have received the rejection
    )
  }

  has(cursor: RoomSubscription): boolean {
    return this.#cursors.has(cursor)
  }

  /** Delivers a message. Listeners share the encoded message, so each format is encoded only once. */
  #onFrame(frame: EngineFrame): void {
    const before = this.last
    this.last = frame
    // An engine that was unavailable for a long time may have lost messages permanently.
    const lost = before === null || distance(frame, before) === 1 ? null : before
    const isDisconnect = frame.data.startsWith(DISCONNECT_PREFIX)
    let framed: SharedText | undefined
    let bare: SharedText | undefined
    for (const cursor of this.#cursors) {
      if (cursor.isAhead) cursor.catchUpTo(frame)
      // Disconnect slow listeners too: by the time they catch up, the history might no longer contain this message.
      if (isDisconnect && cursor.disconnectOn(frame)) continue
      if (!cursor.isLive) continue
      if (lost !== null) cursor.reportGap(lost, { epoch: frame.epoch, offset: frame.offset - 1 })
      const shared = cursor.listener.isSdk ? (framed ??= toRoomFrame(frame)) : (bare ??= { text: frame.data })
      if (!cursor.listener.deliver(shared)) cursor.fallBehind(before ?? frame)
    }
  }
}

/** A listener's subscription to a room. */
export class RoomSubscription {
  readonly listener: RoomListener
  /** A promise that resolves when the room is open. */
  readonly ready: Promise<void>
  readonly #room: Room
  #position: EnginePosition | null
  /** The position at which the subscription started, or null if it has not started yet. */
  startedAt: EnginePosition | null = null
  /** The last position that this process delivered, whatever the listener claims, or null if it is not known yet. */
  reached: EnginePosition | null
  /** Whether the listener has received all messages so far. */
  isLive = false
  /** Whether the listener has messages that this process has not received yet, because another process was faster. */
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

  /** Starts delivery when the room is open. A new listener starts at the head, others at their previous position. */
  start(head: EnginePosition): void {
    this.startedAt = this.#position ?? head
    this.reached ??= head
    if (!this.#room.has(this)) return // the listener left while the room was opening
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

  /** Reports that the messages between two positions are lost, and moves the listener to the second position. */
  reportGap(from: EnginePosition, to: EnginePosition): void {
    this.listener.onGap(this.#room.name, from, to)
    this.listener.onPosition(this.#room.name, to)
  }

  /** Handles a message that the listener may already have. */
  catchUpTo(frame: EngineFrame): void {
    if (distance(this.#position, frame) > 0) return
    this.isAhead = false
    // Delivery resumes with the next message, because the listener already has this one.
    queueMicrotask(() => this.resume())
  }

  /** Disconnects the listener if this is a disconnect message, unless the listener's position is at or after it. */
  disconnectOn(frame: EngineFrame): boolean {
    const isDismissal = frame.data.startsWith(DISCONNECT_PREFIX) && !(distance(this.#position, frame) >= 0)
    if (isDismissal) this.listener.onDisconnect(frame.data.slice(DISCONNECT_PREFIX.length))
    return isDismissal
  }

  /** Delivers the missed messages. Called when the listener can receive messages again. */
  resume(): void {
    this.#shouldRead = true
    if (!this.#isReading) void this.#read()
  }

  leave(): void {
    if (this.isLive) this.#advance(this.#head())
    this.isLive = false
    this.#room.leave(this)
  }

  /** Returns whether the position is at the head of the room. If it is, the subscription becomes live. */
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
        // If a message arrived while the empty history was being read, read again.
        else if (distance(this.#head(), end) === 0) return this.#wait(position)
      }
    } catch (error) {
      // The messages cannot be read, so report a gap.
      this.#room.options.log.warn('could not read room history', {
        room: this.#room.name,
        ...errorFields(error),
      })
      this.#skipToHead(this.#position ?? from)
    }
  }

  /** Delivers messages. Returns the new position, or null if not all of them were delivered. */
  #deliverAll(frames: readonly EngineFrame[]): EnginePosition | null {
    for (const frame of frames) {
      if (!this.#room.has(this) || this.disconnectOn(frame)) return null
      if (!this.listener.deliver(this.listener.isSdk ? toRoomFrame(frame) : { text: frame.data })) return null
      this.#advance({ epoch: frame.epoch, offset: frame.offset })
    }
    return this.#position
  }

  /** Waits for messages that the listener already has but this process has not received yet. */
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

  /** Moves to a position up to which all available messages have been delivered. */
  #advance(position: EnginePosition): void {
    this.#position = position
    if (!(distance(position, this.reached) < 0)) this.reached = position
  }

  /** Reports a gap up to `position` and resumes from there. This prevents a false claim from skipping a disconnect. */
  #skipTo(position: EnginePosition): EnginePosition {
    this.reportGap(this.#position ?? position, position)
    return (this.#position = position)
  }
}

/** Returns how many messages `one` is ahead of `other`, or NaN if the positions cannot be compared. */
function distance(one: EnginePosition | null, other: EnginePosition | null): number {
  return one !== null && one.epoch === other?.epoch ? one.offset - other.offset : Number.NaN
}

function toRoomFrame({ stream, epoch, offset, data }: EngineFrame): SharedText {
  const head = encodeFrame({ o: 'm', s: stream, e: epoch, i: offset, d: 0 })
  return { text: `${head.slice(0, -2)}${data}}` } // replaces the 0 with the message, which is already JSON text
}
