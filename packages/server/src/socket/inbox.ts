import type { ApiError } from '@sdk/protocol'
import { END } from './connection-end.ts'
import type { SocketLimits } from './limits.ts'
import type { LinkOwner } from './client-link.ts'
import { MessageRate } from './message-rate.ts'
import type { WorkQueue } from './work-queue.ts'

/** A message from a client. */
export interface ClientMessage {
  readonly number: number
  readonly data: unknown
  /** Whether the client has sent the message before. */
  readonly isRedelivered: boolean
  readonly size: number
  /** The validation error, or null. Messages are checked on receipt, so that queued data never exceeds the limits. */
  readonly error: ApiError | null
}

/** The initial state of an inbox. */
export interface InboxStart {
  /** The number of messages that were already handled. */
  readonly handled: number
  /** Whether the session began in another process. If so, the client's first message number overrides `handled`. */
  readonly isContinued: boolean
}

/** The session that an inbox belongs to. */
export interface InboxOwner extends LinkOwner {
  readonly queue: WorkQueue
  readonly deps: { readonly limits: Required<SocketLimits>; readonly now: () => number }
  /** Handles a message. Never throws. */
  handle(message: ClientMessage): void | Promise<void>
  /** Called after each handled message. */
  onHandled(): void
}

/** A queue of messages from one client. Each message is handled once and in order. The queue's length is limited. */
export class Inbox {
  readonly #owner: InboxOwner
  /** Created for the first message, since many clients never send one. */
  #rate: MessageRate | null = null
  #isContinued: boolean
  #running: ClientMessage | null = null
  /** The number of `drop()` calls. Messages that were queued before the last call are not handled. */
  #round = 0
  #waitingBytes = 0
  isPaused = false
  /** The number of the last message that was received. */
  received: number
  /** The number of the last message that was handled. */
  handled: number

  constructor(of: InboxOwner, { handled, isContinued }: InboxStart) {
    this.#owner = of
    this.#isContinued = isContinued
    this.received = this.handled = handled
  }

  /** Queues a message. Returns false for a duplicate. */
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

  /** Drops the queued messages, as if they had never been received. */
  drop(): void {
    this.#round += 1
    this.received = this.#running?.number ?? this.handled
    this.#waitingBytes = this.#running?.size ?? 0
    this.#resume()
  }

  /** Delays messages from a client that exceeds its rate limit, instead of rejecting them. */
  #whenDue(message: ClientMessage, round: number): void | Promise<void> {
    const { isSdk, deps } = this.#owner
    this.#rate ??= new MessageRate(isSdk ? deps.limits.rate : false)
    const isFree = this.#rate.isUnlimited || round !== this.#round
    const wait = isFree ? 0 : this.#rate.consume(deps.now())
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
