import type { SocketLimits } from './limits.ts'

/** The memory used by the replay buffers of all sessions. */
export class ReplayBudget {
  used = 0
  /** The non-empty buffers. The one that has been non-empty for the longest time comes first and is evicted first. */
  readonly buffers: Set<ReplayBuffer> = new Set()
}

interface BufferedText {
  readonly text: string
  readonly at: number
}

/** The placeholder for a dropped message, so that the text of the message can be freed. */
const DROPPED: BufferedText = { text: '', at: 0 }

/** The number of empty slots at the front that triggers a compaction. Compacting after each message would be slow. */
const COMPACT_AT = 64

/** A buffer of the latest messages to one client, numbered from 1. It keeps them until the client acknowledges them. */
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

  /** The number of the first message that is still buffered. */
  get first(): number {
    return this.last - this.#length + 1
  }

  get #length(): number {
    return this.#messages.length - this.#head
  }

  /** Adds the next message, and drops the oldest messages if a limit is exceeded. */
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

  /** Counts the next message without buffering it. */
  skip(): void {
    this.last += 1
  }

  /** Returns the text of a message, or undefined if the message is not buffered. */
  get(number: number): string | undefined {
    return number < this.first ? undefined : this.#messages[this.#head + number - this.first]?.text
  }

  /** Drops the messages up to this number, which the client has received. */
  forget(upTo: number): void {
    while (this.first <= upTo && this.#length > 0) this.#drop()
  }

  /** Drops all messages. */
  clear(): void {
    this.#resize(-this.#size)
    this.#compact(this.#messages.length)
  }

  #drop(): void {
    this.#resize(-(this.#messages[this.#head]?.text.length ?? 0))
    this.#messages[this.#head] = DROPPED
    this.#head += 1
    if (this.#head < COMPACT_AT && this.#length > 0) return
    this.#compact(this.#head)
  }

  #compact(count: number): void {
    this.#messages = this.#messages.slice(count)
    this.#head = 0
    if (this.#messages.length === 0) this.#budget.buffers.delete(this)
  }

  /** Drops messages from the oldest buffers, whose clients are not reading, until all buffers fit into `total`. */
  #evict(total: number): void {
    for (const buffer of this.#budget.buffers) while (this.#budget.used > total && buffer.#length > 0) buffer.#drop()
  }

  #resize(bytes: number): void {
    this.#size += bytes
    this.#budget.used += bytes
  }
}
