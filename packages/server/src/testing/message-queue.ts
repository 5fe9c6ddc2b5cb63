/** How a message is waited for. */
export interface NextOptions {
  /** How long it may take to come, in ms: a database may have to be opened first. @default 30_000 */
  timeoutMs?: number | undefined
}

interface MessageRequest extends NextOptions {
  /** @default any */
  readonly matches?: ((message: never) => unknown) | undefined
}

/** What came: a message, or why one that was sent was refused. */
export type QueuedMessage = { readonly message: unknown } | { readonly refusal: Error }

interface PendingRequest extends MessageRequest {
  resolve(message: never): void
  reject(error: unknown): void
  timer?: NodeJS.Timeout
}

const MAX_SHOWN = 10
const MAX_SHOWN_LENGTH = 200

/** What came to a client under test and was not taken yet, or who waits for what comes. */
export class MessageQueue {
  readonly #messages: QueuedMessage[] = []
  readonly #waiting = new Set<PendingRequest>()
  /** What was sent and is not handled yet: an error tells how much. */
  readonly #unhandled: () => number
  #lastTaken: QueuedMessage | null = null
  #end: Error | null = null

  constructor(unhandled: () => number) {
    this.#unhandled = unhandled
  }

  /** Takes the first message that is wanted; those before it stay. A refusal that stands before it is taken, too. */
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

  /** A message came: it is for who has waited longest of those who want it. */
  add(queued: QueuedMessage): void {
    for (const waiting of this.#waiting) {
      try {
        if (isMatch(queued, waiting)) return this.#give(queued, waiting)
      } catch (error) {
        // What `matches` throws is for who asked, not for the server that sends.
        this.#settle(waiting).reject(error)
      }
    }
    this.#messages.push(queued)
  }

  /** Nothing will come any more. */
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

  /** Waits with a timeout: otherwise a test runner would end without saying why. */
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
    const lines = [`no ${others.length > 0 ? 'such ' : ''}message came within ${timeoutMs / 1000} s`]
    if (others.length > 0) lines.push(`${others.length} came that did not match:${describeMessages(others)}`)
    if (last !== null) lines.push(`the last that was taken:${describeMessages([last])}`)
    if (unhandled > 0) lines.push(`${unhandled} that were sent are not handled yet`)
    return new Error(lines.join('; '))
  }
}

/** A refusal is for whoever waits: it may be why nothing else comes. */
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
