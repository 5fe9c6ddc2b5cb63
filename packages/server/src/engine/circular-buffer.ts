/**
 * A buffer of the latest items in a sequence numbered 1, 2, 3 … It is a class so that all instances, one per stream,
 * share its methods.
 */
export class CircularBuffer<T> {
  /** The number of the last item added, even if it has been removed; 0 if nothing has been added. */
  head = 0
  /** The number of items in the buffer. */
  size = 0
  /** The value of `head` when the buffer was last empty. Item `#base + 1` was stored in the first slot. */
  #base = 0
  readonly #slots: (T | undefined)[] = []
  readonly #width: number

  /** Creates a buffer for at most `width` items. Items never move to a different slot. */
  constructor(width: number) {
    this.#width = width
  }

  /** Returns the oldest item. */
  first(): T | undefined {
    return this.#slots[this.#slotOf(this.head - this.size + 1)]
  }

  /** Adds an item. The buffer must not be full. */
  push(item: T): void {
    this.head += 1
    this.size += 1
    this.#slots[this.#slotOf(this.head)] = item
  }

  /** Removes the oldest item. */
  shift(): void {
    this.#slots[this.#slotOf(this.head - this.size + 1)] = undefined
    this.size -= 1
    if (this.size > 0) return
    // Frees the memory of an empty buffer.
    this.#slots.length = 0
    this.#base = this.head
  }

  /** Returns up to `limit` items after `number`, or undefined if some were removed or `number` exceeds `head`. */
  after(number: number, limit: number): T[] | undefined {
    if (!Number.isSafeInteger(number) || number > this.head || number < this.head - this.size) return undefined
    const count = Math.max(0, Math.min(this.head - number, limit))
    return Array.from({ length: count }, (_, index) => this.#slots[this.#slotOf(number + 1 + index)] as T)
  }

  #slotOf(number: number): number {
    return (number - this.#base - 1) % this.#width
  }
}
