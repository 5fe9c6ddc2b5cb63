/** Iterates over chunks within a context, because a generator runs in the context in which `next` is called. */
export function iterateIn<T>(run: <R>(work: () => R) => R, chunks: AsyncIterable<T> | Iterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const source = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
      return {
        next: async () => run(() => source.next()),
        return: async () => run(() => source.return?.()) ?? { done: true, value: undefined },
      }
    },
  }
}
