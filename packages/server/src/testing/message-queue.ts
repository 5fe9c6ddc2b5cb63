/** How a message is waited for. */
export interface NextOptions {
  /** How long it may take to come, in ms: a database may have to be opened first. @default 30_000 */
  timeoutMs?: number | undefined
}

/** Who wants a message. */
interface MessageRequest extends NextOptions {
  /** Is it this one? @default any */
  readonly matches?: ((message: never) => unknown) | undefined
}

/** What came: a message, or why one that was sent was refused. */
export type QueuedMessage = { readonly message: unknown } | { readonly refusal: Error }

interface PendingRequest extends MessageRequest {
  resolve(message: never): void
  reject(error: unknown): void
  timer?: NodeJS.Timeout
}

/** How many messages an error shows, and how much of each. */
const MAX_SHOWN = 10
const MAX_SHOWN_LENGTH = 200

/** What came to a client under test and was not taken yet, or who waits for what comes. */
export class MessageQueue {
  readonly #letters: QueuedMessage[] = []
  readonly #waiting = new Set<PendingRequest>()
  /** What was sent and is not handled yet: an error tells how much. */
  readonly #unhandled: () => number
  #lastTaken: QueuedMessage | null = null
  #end: Error | null = null

  constructor(unhandled: () => number) {
    this.#unhandled = unhandled
  }

  /** Takes the first message that is wanted; those before it stay. A refusal that stands before it is taken, too. */
  take(wanted: MessageRequest): Promise<never> {
    return new Promise((resolve, reject) => {
      const waiting = { ...wanted, resolve, reject }
      const index = this.#letters.findIndex((letter) => isMatch(letter, wanted))
      const [letter] = index === -1 ? [] : this.#letters.splice(index, 1)
      if (letter !== undefined) this.#give(letter, waiting)
      else if (this.#end !== null) reject(this.#end)
      else this.#wait(waiting)
    })
  }

  /** A message came: it is for who has waited longest of those who want it. */
  add(letter: QueuedMessage): void {
    for (const waiting of this.#waiting) {
      try {
        if (isMatch(letter, waiting)) return this.#give(letter, waiting)
      } catch (error) {
        // What `matches` throws is for who asked, not for the server that sends.
        this.#settle(waiting).reject(error)
      }
    }
    this.#letters.push(letter)
  }

  /** Nothing will come any more. */
  end(error: Error): void {
    this.#end = error
    for (const waiting of this.#waiting) this.#settle(waiting).reject(error)
  }

  #give(letter: QueuedMessage, waiting: PendingRequest): void {
    this.#lastTaken = letter
    const { resolve, reject } = this.#settle(waiting)
    if ('refusal' in letter) reject(letter.refusal)
    else resolve(letter.message as never)
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
    const [others, last, unhandled] = [this.#letters, this.#lastTaken, this.#unhandled()]
    const said = [`no ${others.length > 0 ? 'such ' : ''}message came within ${timeoutMs / 1000} s`]
    if (others.length > 0) said.push(`${others.length} came that did not match:${describeMessages(others)}`)
    if (last !== null) said.push(`the last that was taken:${describeMessages([last])}`)
    if (unhandled > 0) said.push(`${unhandled} that were sent are not handled yet`)
    return new Error(said.join('; '))
  }
}

/** A refusal is for whoever waits: it may be why nothing else comes. */
function isMatch(letter: QueuedMessage, { matches }: MessageRequest): boolean {
  return 'refusal' in letter || matches === undefined || Boolean(matches(letter.message as never))
}

/** The newest of them, each in a line. */
function describeMessages(letters: readonly QueuedMessage[]): string {
  const texts = letters.slice(-MAX_SHOWN).map((letter) => {
    const text = 'refusal' in letter ? String(letter.refusal) : JSON.stringify(letter.message)
    return `\n  ${text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text}`
  })
  return `${letters.length > MAX_SHOWN ? '\n  …' : ''}${texts.join('')}`
}
