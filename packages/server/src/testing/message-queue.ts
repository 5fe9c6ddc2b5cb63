/** Options for `next`. */
export interface NextOptions {
  /** The timeout, in ms. The default leaves time for a database to open first. @default 30_000 */
  timeoutMs?: number | undefined
}

interface MessageRequest extends NextOptions {
  /** The condition that the message must satisfy. @default any message */
  readonly matches?: ((message: never) => unknown) | undefined
}

/** A received message, or the error for a sent message that was rejected. */
export type QueuedMessage = { readonly message: unknown } | { readonly refusal: Error }

interface PendingRequest extends MessageRequest {
  resolve(message: never): void
  reject(error: unknown): void
  timer?: NodeJS.Timeout
}

const MAX_SHOWN = 10
const MAX_SHOWN_LENGTH = 200

/** A queue of the messages that a test client has received, and of the callers that are waiting for messages. */
export class MessageQueue {
  readonly #messages: QueuedMessage[] = []
  readonly #waiting = new Set<PendingRequest>()
  /** Returns the number of sent messages that have not been handled yet, for use in error messages. */
  readonly #unhandled: () => number
  #lastTaken: QueuedMessage | null = null
  #end: Error | null = null

  constructor(unhandled: () => number) {
    this.#unhandled = unhandled
  }

  /** Resolves with the first matching message and keeps the others. Rejects if an error is queued before it. */
  take(request: MessageRequest): Promise<never> {
    return new Promise((resolve, reject) => {
      const waiting = { ...request, resolve, reject }
      const index = this.#messages.findIndex((queued) => isMatch(queued, request))
      const [queued] = index === -1 ? [] : this.#messages.splice(index, 1)
      if (queued !== undefined) this.#give(queued, waiting)
      else if (this.#end !== null) reject(this.#end)
      else this.#wait(waiting)
    })
  }

  /** Adds a received message, or passes it to the matching caller that has waited longest. */
  add(queued: QueuedMessage): void {
    for (const waiting of this.#waiting) {
      try {
        if (isMatch(queued, waiting)) return this.#give(queued, waiting)
      } catch (error) {
        // An error thrown by `matches` must reach the waiting caller, not the server that sends the message.
        this.#settle(waiting).reject(error)
      }
    }
    this.#messages.push(queued)
  }

  /** Ends the queue. Calls that wait for further messages reject with this error. */
  end(error: Error): void {
    this.#end = error
    for (const waiting of this.#waiting) this.#settle(waiting).reject(error)
  }

  #give(queued: QueuedMessage, waiting: PendingRequest): void {
    this.#lastTaken = queued
    const { resolve, reject } = this.#settle(waiting)
    if ('refusal' in queued) reject(queued.refusal)
    else resolve(queued.message as never)
  }

  /** Waits with a timeout: otherwise the test runner would exit without an explanation. */
  #wait(waiting: PendingRequest): void {
    const { timeoutMs = 30_000 } = waiting
    this.#waiting.add(waiting)
    waiting.timer = setTimeout(() => this.#settle(waiting).reject(this.#silence(timeoutMs)), timeoutMs)
  }

  #settle(waiting: PendingRequest): PendingRequest {
    clearTimeout(waiting.timer)
    this.#waiting.delete(waiting)
    return waiting
  }

  #silence(timeoutMs: number): Error {
    const [others, last, unhandled] = [this.#messages, this.#lastTaken, this.#unhandled()]
    const lines = [`no ${others.length > 0 ? 'matching ' : ''}message received within ${timeoutMs / 1000} s`]
    if (others.length > 0)
      lines.push(`${others.length} other message${others.length === 1 ? '' : 's'} received:${describeMessages(others)}`)
    if (last !== null) lines.push(`last message returned by next():${describeMessages([last])}`)
    if (unhandled > 0) lines.push(`sent, but not handled yet: ${unhandled} message${unhandled === 1 ? '' : 's'}`)
    return new Error(lines.join('; '))
  }
}

/** Returns whether a message satisfies a request. An error always does, because it may explain a missing message. */
function isMatch(queued: QueuedMessage, { matches }: MessageRequest): boolean {
  return 'refusal' in queued || matches === undefined || Boolean(matches(queued.message as never))
}

function describeMessages(messages: readonly QueuedMessage[]): string {
  const texts = messages.slice(-MAX_SHOWN).map((queued) => {
    const text = 'refusal' in queued ? String(queued.refusal) : JSON.stringify(queued.message)
    return `\n  ${text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text}`
  })
  return `${messages.length > MAX_SHOWN ? '\n  …' : ''}${texts.join('')}`
}
