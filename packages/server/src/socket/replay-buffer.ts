import type { SocketLimits } from './limits.ts'

/** What the rings of all sessions hold together. */
export class ReplayBudget {
  used = 0
  /** The rings that hold anything. The one that has done so for the longest time comes first, and gives up first. */
  readonly buffers: Set<ReplayBuffer> = new Set()
}

interface BufferedText {
  readonly text: string
  readonly at: number
}

/** When this many places at the front are empty, they are cut off: not with every message. */
const COMPACT_AT = 64

/** The last messages that were sent to one client, numbered 1, 2, 3 …, until it says that it has them. */
export class ReplayBuffer {
  /** The number of the last message. */
  last: number
  readonly #limits: Required<SocketLimits>
  readonly #budget: ReplayBudget
  #messages: BufferedText[] = []
  #head = 0
  #size = 0

  constructor(last: number, limits: Required<SocketLimits>, budget: ReplayBudget) {
    this.last = last
    this.#limits = limits
    this.#budget = budget
  }

  /** The number of the first message that is still here. */
  get first(): number {
    return this.last - this.#length + 1
  }

  get #length(): number {
    return this.#messages.length - this.#head
  }

  /** Keeps the next message. */
  add(text: string, now: number): void {
    const { replayMessages, replayBytes, replayTtl, replayTotalBytes } = this.#limits
    this.last += 1
    if (this.#messages.push({ text, at: now }) === 1) this.#budget.buffers.add(this)
    this.#resize(text.length)
    for (let oldest = this.#messages[this.#head]; oldest !== undefined; oldest = this.#messages[this.#head]) {
      const isTooMuch = this.#length > replayMessages || this.#size > replayBytes
      if (!isTooMuch && oldest.at > now - replayTtl) break
      this.#drop()
    }
    if (this.#budget.used > replayTotalBytes) this.#evict(replayTotalBytes)
  }

  /** The next message is not kept. */
  skip(): void {
    this.last += 1
  }

  /** The text of a message; undefined where it is not kept, or there is none of this number yet. */
  get(number: number): string | undefined {
    return number < this.first ? undefined : this.#messages[this.#head + number - this.first]?.text
  }

  /** The client has all up to this number. */
  forget(upTo: number): void {
    while (this.first <= upTo && this.#length > 0) this.#drop()
  }

  /** Lets go of everything. */
  clear(): void {
    this.#resize(-this.#size)
    this.#compact(this.#messages.length)
  }

  #drop(): void {
    this.#resize(-(this.#messages[this.#head]?.text.length ?? 0))
    this.#messages[this.#head] = { text: '', at: 0 }
    this.#head += 1
    if (this.#head < COMPACT_AT && this.#length > 0) return
    this.#compact(this.#head)
  }

  #compact(count: number): void {
    this.#messages = this.#messages.slice(count)
    this.#head = 0
    if (this.#messages.length === 0) this.#budget.buffers.delete(this)
  }

  /** Where all rings together hold too much, drops messages of the oldest: those of clients that do not take them. */
  #evict(total: number): void {
    for (const buffer of this.#budget.buffers) while (this.#budget.used > total && buffer.#length > 0) buffer.#drop()
  }

  #resize(bytes: number): void {
    this.#size += bytes
    this.#budget.used += bytes
  }
}
