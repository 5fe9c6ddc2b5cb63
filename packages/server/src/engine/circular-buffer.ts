/** The last items of a row whose numbers are 1, 2, 3 … A class, as there is one for each stream. */
export class CircularBuffer<T> {
  /** The number of the last item, also when it is kept no longer; 0: there was none. */
  head = 0
  /** How many are kept. */
  size = 0
  /** The slots were last empty after this item. */
  #base = 0
  readonly #slots: (T | undefined)[] = []
  readonly #width: number

  /** A row of which at most so many are kept. Nothing moves when items come and go. */
  constructor(width: number) {
    this.#width = width
  }

  /** The oldest that is kept. */
  first(): T | undefined {
    return this.#slots[this.#slotOf(this.head - this.size + 1)]
  }

  /** There must be room. */
  push(item: T): void {
    this.head += 1
    this.size += 1
    this.#slots[this.#slotOf(this.head)] = item
  }

  /** Drops the oldest. */
  shift(): void {
    this.#slots[this.#slotOf(this.head - this.size + 1)] = undefined
    this.size -= 1
    if (this.size > 0) return
    // An empty row takes no memory.
    this.#slots.length = 0
    this.#base = this.head
  }

  /** What follows a number, at most so many; undefined where not all of it is kept, or no item has the number yet. */
  after(number: number, limit: number): T[] | undefined {
    if (!Number.isSafeInteger(number) || number > this.head || number < this.head - this.size) return undefined
    const count = Math.max(0, Math.min(this.head - number, limit))
    return Array.from({ length: count }, (_, index) => this.#slots[this.#slotOf(number + 1 + index)] as T)
  }

  #slotOf(number: number): number {
    return (number - this.#base - 1) % this.#width
  }
}
