import type { SocketLimits } from './limits.ts'

/** What the rings of all sessions hold together. */
export class RingBudget {
  used = 0
  /**
   * The rings that hold anything. The one that has done so for the longest time comes first, and gives up messages
   * first.
   */
  readonly rings: Set<Ring> = new Set()
}

interface Kept {
  readonly text: string
  readonly at: number
}

/** When this many places at the front are empty, they are cut off: not with every message. */
const CUT_AT = 64

/** The last messages that were sent to one client, numbered 1, 2, 3 …, until it says that it has them. */
export class Ring {
  /** The number of the last message. */
  last: number
  readonly #limits: Required<SocketLimits>
  readonly #budget: RingBudget
  #kept: Kept[] = []
  #head = 0
  #size = 0

  constructor(last: number, limits: Required<SocketLimits>, budget: RingBudget) {
    this.last = last
    this.#limits = limits
    this.#budget = budget
  }

  /** The number of the first message that is still here. */
  get first(): number {
    return this.last - this.#length + 1
  }

  get #length(): number {
    return this.#kept.length - this.#head
  }

  /** Keeps the next message. */
  add(text: string, now: number): void {
    const { ring, ringBytes, ringTime, ringTotal } = this.#limits
    this.last += 1
    if (this.#kept.push({ text, at: now }) === 1) this.#budget.rings.add(this)
    this.#weigh(text.length)
    for (let oldest = this.#kept[this.#head]; oldest !== undefined; oldest = this.#kept[this.#head]) {
      const isTooMuch = this.#length > ring || this.#size > ringBytes
      if (!isTooMuch && oldest.at > now - ringTime) break
      this.#drop()
    }
    if (this.#budget.used > ringTotal) this.#makeRoom(ringTotal)
  }

  /** The next message is not kept. */
  skip(): void {
    this.last += 1
  }

  /** The text of a message; undefined where it is not kept, or there is none of this number yet. */
  get(number: number): string | undefined {
    return number < this.first ? undefined : this.#kept[this.#head + number - this.first]?.text
  }

  /** The client has all up to this number. */
  forget(upTo: number): void {
    while (this.first <= upTo && this.#length > 0) this.#drop()
  }

  /** Lets go of everything. */
  clear(): void {
    this.#weigh(-this.#size)
    this.#cut(this.#kept.length)
  }

  #drop(): void {
    this.#weigh(-(this.#kept[this.#head]?.text.length ?? 0))
    this.#kept[this.#head] = { text: '', at: 0 }
    this.#head += 1
    if (this.#head < CUT_AT && this.#length > 0) return
    this.#cut(this.#head)
  }

  #cut(count: number): void {
    this.#kept = this.#kept.slice(count)
    this.#head = 0
    if (this.#kept.length === 0) this.#budget.rings.delete(this)
  }

  /** Where all rings together hold too much, drops messages of the oldest: those of clients that do not take them. */
  #makeRoom(total: number): void {
    for (const ring of this.#budget.rings) while (this.#budget.used > total && ring.#length > 0) ring.#drop()
  }

  #weigh(bytes: number): void {
    this.#size += bytes
    this.#budget.used += bytes
  }
}
