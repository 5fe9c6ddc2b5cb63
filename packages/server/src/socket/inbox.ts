import { CLOSE } from '@sdk/protocol'
import type { SocketLimits } from './limits.ts'
import type { Addressee } from './client-link.ts'
import { Pace } from './message-rate.ts'
import type { WorkQueue } from './work-queue.ts'

/** A message of a client. */
export interface Message {
  readonly number: number
  readonly data: unknown
  /** Was it sent before? */
  readonly isRedelivered: boolean
  readonly size: number
  /** Has its text `\u` escapes? Then its strings must be checked. */
  readonly hasEscapes: boolean
}

/** What is known of a client's messages when they begin to come. */
export interface IncomingStart {
  /** How many were handled before. */
  readonly handled: number
  /** Was that in another process? Then the number of the first message that the client sends is right, and not ours. */
  readonly isContinued: boolean
}

/** Whose messages come, and what becomes of them. */
export interface Handling extends Addressee {
  readonly queue: WorkQueue
  readonly parts: { readonly limits: Required<SocketLimits>; readonly now: () => number }
  /** Handles a message; it never throws. */
  handle(message: Message): void | Promise<void>
  /** One more was handled. */
  done(): void
}

/** The messages of one client: each is handled once, one after the other, and those who wait are few. */
export class Incoming {
  readonly #of: Handling
  readonly #pace: Pace
  #isContinued: boolean
  #running: Message | null = null
  /** Counts how often those who wait were dropped: what came before is not handled. */
  #round = 0
  #waitingBytes = 0
  isPaused = false
  /** The number of the last message that came. */
  received: number
  /** The number of the last message that was handled. */
  handled: number

  constructor(of: Handling, { handled, isContinued }: IncomingStart) {
    this.#of = of
    this.#isContinued = isContinued
    this.#pace = new Pace(of.isSdk ? of.parts.limits.rate : false)
    this.received = this.handled = handled
  }

  /** False where it was there before. */
  receive(message: Message): boolean {
    const { link, queue } = this.#of
    const { number } = message
    if (number <= this.received) return false
    if (this.#isContinued) this.received = this.handled = number - 1
    this.#isContinued = false
    if (number > this.received + 1) {
      link?.close(CLOSE.badProtocol, `message ${this.received + 1} is missing`)
      return true
    }
    this.received = number
    this.#waitingBytes += message.size
    const round = this.#round
    queue.add(() => this.#whenDue(message, round))
    if (!this.isPaused && this.#isFull(1)) {
      this.isPaused = true
      this.#of.link?.pause()
    }
    return true
  }

  /** Drops the messages that wait: they count as never received. */
  drop(): void {
    this.#round += 1
    this.received = this.#running?.number ?? this.handled
    this.#waitingBytes = this.#running?.size ?? 0
    this.#goOn()
  }

  /** Slows the client down where it is too fast: what it sent is never refused. */
  #whenDue(message: Message, round: number): void | Promise<void> {
    const wait = round === this.#round ? this.#pace.take(this.#of.parts.now()) : 0
    if (wait > 0) return new Promise((resolve) => setTimeout(resolve, wait)).then(() => this.#run(message, round))
    return this.#run(message, round)
  }

  #run(message: Message, round: number): void | Promise<void> {
    if (round !== this.#round) return
    this.#running = message
    const done = this.#of.handle(message)
    if (done instanceof Promise) return done.then(() => this.#done(message))
    this.#done(message)
  }

  #done({ number, size }: Message): void {
    this.#running = null
    this.handled = number
    this.#waitingBytes -= size
    this.#of.done()
    if (!this.#isFull(0.5)) this.#goOn()
  }

  #goOn(): void {
    if (!this.isPaused) return
    this.isPaused = false
    this.#of.link?.resume()
  }

  #isFull(share: number): boolean {
    const { queue, parts } = this.#of
    const { limits } = parts
    return queue.length > limits.inbox * share || this.#waitingBytes > limits.inboxBytes * share
  }
}

/** What a text says, as JSON; undefined where it is none. */
export function parseData(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no JSON text stands for undefined
  }
}
