import type { ApiError } from '@sdk/protocol'
import { END } from './connection-end.ts'
import type { SocketLimits } from './limits.ts'
import type { LinkOwner } from './client-link.ts'
import { MessageRate } from './message-rate.ts'
import type { WorkQueue } from './work-queue.ts'

/** A message of a client. */
export interface ClientMessage {
  readonly number: number
  readonly data: unknown
  /** Was it sent before? */
  readonly isRedelivered: boolean
  readonly size: number
  /** The reason why it is refused, found when it came: data that waits is never larger than the limits. */
  readonly error: ApiError | null
}

/** What is known of a client's messages when they begin to come. */
export interface InboxStart {
  /** How many were handled before. */
  readonly handled: number
  /** Was that in another process? Then the number of the first message that the client sends is right, and not ours. */
  readonly isContinued: boolean
}

/** Whose messages come, and what becomes of them. */
export interface InboxOwner extends LinkOwner {
  readonly queue: WorkQueue
  readonly deps: { readonly limits: Required<SocketLimits>; readonly now: () => number }
  /** Handles a message; it never throws. */
  handle(message: ClientMessage): void | Promise<void>
  /** One more was handled. */
  onHandled(): void
}

/** The messages of one client: each is handled once, one after the other, and those who wait are few. */
export class Inbox {
  readonly #owner: InboxOwner
  readonly #rate: MessageRate
  #isContinued: boolean
  #running: ClientMessage | null = null
  /** Counts how often those who wait were dropped: what came before is not handled. */
  #round = 0
  #waitingBytes = 0
  isPaused = false
  /** The number of the last message that came. */
  received: number
  /** The number of the last message that was handled. */
  handled: number

  constructor(of: InboxOwner, { handled, isContinued }: InboxStart) {
    this.#owner = of
    this.#isContinued = isContinued
    this.#rate = new MessageRate(of.isSdk ? of.deps.limits.rate : false)
    this.received = this.handled = handled
  }

  /** False where it was there before. */
  receive(message: ClientMessage): boolean {
    const { link, queue } = this.#owner
    const { number } = message
    if (number <= this.received) return false
    if (this.#isContinued) this.received = this.handled = number - 1
    this.#isContinued = false
    if (number > this.received + 1) {
      link?.close(END.missingMessage, `message ${this.received + 1} is missing`)
      return true
    }
    this.received = number
    this.#waitingBytes += message.size
    const round = this.#round
    queue.add(() => this.#whenDue(message, round))
    if (!this.isPaused && this.#isFull(1)) {
      this.isPaused = true
      this.#owner.link?.pause()
    }
    return true
  }

  /** Drops the messages that wait: they count as never received. */
  drop(): void {
    this.#round += 1
    this.received = this.#running?.number ?? this.handled
    this.#waitingBytes = this.#running?.size ?? 0
    this.#resume()
  }

  /** Slows the client down where it is too fast: what it sent is never refused. */
  #whenDue(message: ClientMessage, round: number): void | Promise<void> {
    const wait = round === this.#round ? this.#rate.consume(this.#owner.deps.now()) : 0
    if (wait > 0) return new Promise((resolve) => setTimeout(resolve, wait)).then(() => this.#run(message, round))
    return this.#run(message, round)
  }

  #run(message: ClientMessage, round: number): void | Promise<void> {
    if (round !== this.#round) return
    this.#running = message
    const done = this.#owner.handle(message)
    if (done instanceof Promise) return done.then(() => this.#done(message))
    this.#done(message)
  }

  #done({ number, size }: ClientMessage): void {
    this.#running = null
    this.handled = number
    this.#waitingBytes -= size
    this.#owner.onHandled()
    if (!this.#isFull(0.5)) this.#resume()
  }

  #resume(): void {
    if (!this.isPaused) return
    this.isPaused = false
    this.#owner.link?.resume()
  }

  #isFull(share: number): boolean {
    const { queue, deps } = this.#owner
    const { limits } = deps
    return queue.length > limits.inbox * share || this.#waitingBytes > limits.inboxBytes * share
  }
}
