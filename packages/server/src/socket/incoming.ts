import { CLOSE } from '@sdk/protocol'
import type { SocketLimits } from './limits.ts'
import type { Line } from './line.ts'
import type { Addressee } from './link.ts'
import { Pace } from './pace.ts'

/** A message of a client. */
export interface Message {
  readonly number: number
  readonly data: unknown
  /** Was it sent before? */
  readonly isRedelivered: boolean
  readonly size: number
}

/** What incoming messages need. */
export interface IncomingParts {
  readonly from: Addressee
  readonly line: Line
  readonly limits: SocketLimits
  readonly now: () => number
  /** Handles a message; it never throws. */
  handle(message: Message): void | Promise<void>
  /** One more was handled. */
  done(): void
}

/** The messages of one client: each is handled once, one after the other, and those who wait are few. */
export class Incoming {
  readonly #parts: IncomingParts
  readonly #pace: Pace
  #waitingBytes = 0
  isPaused = false
  /** The number of the last message that came; null: whatever comes first is the next. */
  received: number | null
  /** The number of the last message that was handled. */
  handled: number

  constructor(parts: IncomingParts, handled: number | null) {
    this.#parts = parts
    this.#pace = new Pace(parts.from.isSdk ? parts.limits.rate : false)
    this.received = handled
    this.handled = handled ?? 0
  }

  /** False where it was there before. */
  receive(message: Message): boolean {
    const { from, line } = this.#parts
    const { number } = message
    if (this.received === null) this.received = this.handled = number - 1
    if (number <= this.received) return false
    if (number > this.received + 1) {
      from.link?.close(CLOSE.badProtocol, `message ${this.received + 1} is missing`)
      return true
    }
    this.received = number
    this.#waitingBytes += message.size
    line.add(() => this.#handle(message))
    if (!this.isPaused && this.#isFull(1)) {
      this.isPaused = true
      from.link?.pause()
    }
    return true
  }

  /** Slows the client down where it is too fast: what it sent is never refused. */
  #handle(message: Message): void | Promise<void> {
    const wait = this.#pace.take(this.#parts.now())
    if (wait > 0) return new Promise((resolve) => setTimeout(resolve, wait)).then(() => this.#run(message))
    return this.#run(message)
  }

  #run(message: Message): void | Promise<void> {
    const done = this.#parts.handle(message)
    if (done instanceof Promise) return done.then(() => this.#done(message))
    this.#done(message)
  }

  #done({ number, size }: Message): void {
    this.handled = number
    this.#waitingBytes -= size
    this.#parts.done()
    if (!this.isPaused || this.#isFull(0.5)) return
    this.isPaused = false
    this.#parts.from.link?.resume()
  }

  #isFull(share: number): boolean {
    const { line, limits } = this.#parts
    return line.length > limits.inbox * share || this.#waitingBytes > limits.inboxBytes * share
  }
}
