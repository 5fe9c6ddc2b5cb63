import type { EngineFrame, EnginePosition } from '../engine.ts'

/** A page of a stream's history: the stream's head, and messages between the requested position and the head. */
export interface StreamPage {
  readonly head: EnginePosition
  readonly frames: readonly EngineFrame[]
  /** Whether the page contains all messages up to the head. */
  readonly isComplete: boolean
}

/** The position before the first message. */
export const ORIGIN: EnginePosition = { epoch: '0', offset: 0 }

interface FollowerOptions {
  /**
   * Reads the messages after a position. If the position is undefined, reads only the head of the stream. Resolves with
   * undefined if the subscription has ended.
   */
  read(position: EnginePosition | undefined): Promise<StreamPage | undefined>
  deliver(frame: EngineFrame): void
}

/** The maximum number of live messages buffered during a read. Further messages are read from the history. */
const MAX_PENDING_FRAMES = 1_000

/** A follower of a stream. It merges live messages and history into one ordered sequence. */
export class Follower {
  /** The start position, after which all messages are delivered. Undefined until the stream's head has been read. */
  start: EnginePosition | undefined
  /** The position of the last delivered message, or the start position. */
  position: EnginePosition | undefined
  readonly #options: FollowerOptions
  #pending: EngineFrame[] = []
  #isBehind = false
  #reading: Promise<void> | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** Handles a live message. */
  receive(frame: EngineFrame): void {
    if (this.position !== undefined && isNext(frame, this.position)) return this.#accept(frame)
    if (this.position !== undefined && !isAfter(frame, this.position)) return
    // Messages before this one are missing: read them from the history.
    if (this.#pending.length < MAX_PENDING_FRAMES) this.#pending.push(frame)
    void this.catchUp()
  }

  /** Reads missed messages. The first call reads only the head of the stream. */
  catchUp(): Promise<void> {
    this.#isBehind = true
    return (this.#reading ??= this.#readOn())
  }

  async #readOn(): Promise<void> {
    while (this.#isBehind) {
      this.#isBehind = false
      const page = await this.#options.read(this.position)
      if (page !== undefined) this.#take(page)
    }
    // Reset here rather than in a `then` callback, since a message may request another read before the callback runs.
    this.#reading = undefined
  }

  #take({ head, frames, isComplete }: StreamPage): void {
    this.start ??= head
    this.position ??= head
    if (!isComplete) this.#isBehind = true
    // All messages up to `end` are known. After the last page, pending messages beyond `end` are delivered too.
    const end = isComplete ? head : (frames.at(-1) ?? head)
    const isKnown = (frame: EngineFrame): boolean => !this.#isBehind || !isAfter(frame, end)
    const waiting = [...frames, ...this.#pending].toSorted((a, b) => (isAfter(a, b) ? 1 : -1))
    this.#pending = waiting.filter((frame) => !isKnown(frame))
    for (const frame of waiting) if (isKnown(frame) && isAfter(frame, this.position)) this.#accept(frame)
    if (!this.#isBehind && isAfter(head, this.position)) this.position = head
  }

  #accept(frame: EngineFrame): void {
    this.position = { epoch: frame.epoch, offset: frame.offset }
    this.#options.deliver(frame)
  }
}

/** Returns whether `a` comes after `b`. An epoch is identified by its start time in ms, so later epochs are greater. */
export function isAfter(a: EnginePosition, b: EnginePosition): boolean {
  return a.epoch === b.epoch ? a.offset > b.offset : Number(a.epoch) > Number(b.epoch)
}

/** Returns whether `a` is the position directly after `b`. */
function isNext(a: EnginePosition, b: EnginePosition): boolean {
  return a.epoch === b.epoch && a.offset === b.offset + 1
}
