import { isThenable } from '../platform/and-then.ts'

const MAX_VALUES = 10_000
const MAX_DEPTH = 8

/**
 * Finds a promise in a result, because JSON would serialize the promise as `{}`. Returns the promise's path, such as
 * `pages.0.rows`, or null if there is no promise.
 */
export function findPromise(answer: unknown): string | null {
  let left = MAX_VALUES
  return search(answer, [])

  function search(value: unknown, path: readonly string[]): string | null {
    if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH || left-- <= 0) return null
    if (isThenable(value)) return path.join('.')
    // The return value of `toJSON` is serialized instead.
    if ('toJSON' in value || ArrayBuffer.isView(value)) return null
    for (const [key, inner] of Object.entries(value)) {
      const found = search(inner, [...path, key])
      if (found !== null) return found
    }
    return null
  }
}
