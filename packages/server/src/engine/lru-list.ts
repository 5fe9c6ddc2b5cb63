/** A node in an `LruList`. */
export interface LruNode<T> {
  /** The time at which the node was added, in ms. */
  at: number
  older: T | undefined
  newer: T | undefined
}

/**
 * A doubly linked list, oldest first, from which any item can be removed in constant time. A Map is not used, because
 * finding its first entry is slow after many removals.
 */
export class LruList<T extends LruNode<T>> {
  oldest: T | undefined
  #newest: T | undefined

  /** Appends an item that is not in any list. */
  append(item: T): void {
    item.older = this.#newest
    if (this.#newest === undefined) this.oldest = item
    else this.#newest.newer = item
    this.#newest = item
  }

  /** Removes an item from this list. */
  remove(item: T): void {
    const { older, newer } = item
    if (older === undefined) this.oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
    // Unlink the item, so that it does not keep others in memory.
    item.older = item.newer = undefined
  }

  clear(): void {
    this.oldest = this.#newest = undefined
  }
}
