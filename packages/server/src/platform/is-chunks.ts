/** Returns whether a result is an iterable of chunks. Arrays and strings count as single values. */
export function isChunks(result: object): result is AsyncIterable<unknown> | Iterable<unknown> {
  return (
    Symbol.asyncIterator in result ||
    (Symbol.iterator in result && 'next' in result && typeof result.next === 'function')
  )
}
