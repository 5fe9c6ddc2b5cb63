/** Something that stands in an order of age. */
export interface LruNode<T> {
  /** When it came, in ms. */
  at: number
  older: T | undefined
  newer: T | undefined
}

/**
 * What came, the oldest first; anything can leave at no cost, from wherever it stands. A Map would do as well, were it not
 * slow to find its first entry among removed ones.
 */
export class LruList<T extends LruNode<T>> {
  oldest: T | undefined
  #newest: T | undefined

  /** Takes in what stands in no order. */
  append(item: T): void {
    item.older = this.#newest
    if (this.#newest === undefined) this.oldest = item
    else this.#newest.newer = item
    this.#newest = item
  }

  /** Takes out what stands in this order. */
  remove(item: T): void {
    const { older, newer } = item
    if (older === undefined) this.oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
    // Unlinked, so that a removed item does not keep others in memory.
    item.older = item.newer = undefined
  }

  clear(): void {
    this.oldest = this.#newest = undefined
  }
}
