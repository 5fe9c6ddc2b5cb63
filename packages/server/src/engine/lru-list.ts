/** Something that stands in an order of age. */
export interface LruNode<T> {
  /** When it came, in ms. */
  at: number
  older: T | undefined
  newer: T | undefined
}

/** What came, the oldest first; anything can leave at no cost, from wherever it stands. */
export interface LruList<T extends LruNode<T>> {
  oldest(): T | undefined
  /** Takes in what stands in no order. */
  append(item: T): void
  /** Takes out what stands in this order. */
  remove(item: T): void
  clear(): void
}

/** An order that is empty. A Map would do as well, were it not slow to find its first entry among removed ones. */
export function createLruList<T extends LruNode<T>>(): LruList<T> {
  let oldest: T | undefined
  let newest: T | undefined

  return {
    oldest: () => oldest,
    append(item) {
      item.older = newest
      if (newest === undefined) oldest = item
      else newest.newer = item
      newest = item
    },
    remove(item) {
      const { older, newer } = item
      if (older === undefined) oldest = newer
      else older.newer = newer
      if (newer === undefined) newest = older
      else newer.older = older
      // Unlinked, so that a removed item does not keep others in memory.
      item.older = undefined
      item.newer = undefined
    },
    clear() {
      oldest = undefined
      newest = undefined
    },
  }
}
