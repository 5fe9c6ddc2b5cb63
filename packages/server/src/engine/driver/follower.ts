import type { EngineFrame, EnginePosition } from '../engine.ts'

/** What the history answers: its end, and what it keeps between the asked position and there. */
export interface StreamPage {
  readonly head: EnginePosition
  readonly frames: readonly EngineFrame[]
  /** False when there was more than fits a page. */
  readonly isComplete: boolean
}

/** Before the first message. */
export const ORIGIN: EnginePosition = { epoch: '0', offset: 0 }

interface FollowerOptions {
  /** Reads on from a position, or only the end of the stream; undefined when nobody wants it any more. */
  read(position: EnginePosition | undefined): Promise<StreamPage | undefined>
  deliver(frame: EngineFrame): void
}

/** Live messages that may wait for a reading; the history holds the others. */
const MAX_PENDING_FRAMES = 1_000

/** Makes one ordered stream out of live messages and the history. */
export class Follower {
  /** Where it began: it delivers all that follows. Undefined until it was told where the stream ends. */
  start: EnginePosition | undefined
  /** The last message that was delivered or lay before the start. */
  position: EnginePosition | undefined
  readonly #options: FollowerOptions
  #pending: EngineFrame[] = []
  #isBehind = false
  #reading: Promise<void> | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** Takes a live message. */
  receive(frame: EngineFrame): void {
    if (this.position !== undefined && isNext(frame, this.position)) return this.#accept(frame)
    if (this.position !== undefined && !isAfter(frame, this.position)) return
    // Something lies before it: the history tells what.
    if (this.#pending.length < MAX_PENDING_FRAMES) this.#pending.push(frame)
    void this.catchUp()
  }

  /** Reads what was missed; the first time, where the stream ends. */
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
    this.#reading = undefined // here and not after the promise: between the two a message may want another reading
  }

  #take({ head, frames, isComplete }: StreamPage): void {
    this.start ??= head
    this.position ??= head
    if (!isComplete) this.#isBehind = true
    // Up to here all is known; what the last page does not reach is not waited for.
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

/** Does `a` come after `b`? An epoch is the millisecond it began at, so a later one is also a greater number. */
export function isAfter(a: EnginePosition, b: EnginePosition): boolean {
  return a.epoch === b.epoch ? a.offset > b.offset : Number(a.epoch) > Number(b.epoch)
}

/** Does `a` follow `b` with nothing between them? */
function isNext(a: EnginePosition, b: EnginePosition): boolean {
  return a.epoch === b.epoch && a.offset === b.offset + 1
}
