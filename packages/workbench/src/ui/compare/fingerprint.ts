/** Hashes of JSON values, used to find equal values without traversing them repeatedly. */
export type Fingerprints = ReturnType<typeof createFingerprints>

/** The depth beyond which values are compared by their JSON text. */
export const MAX_COMPARE_DEPTH = 100

/** Creates a cache for the fingerprints of objects and arrays. Different values rarely have the same fingerprint. */
export function createFingerprints() {
  const known = new WeakMap<object, number>()

  function of(value: unknown, depth = 0): number {
    if (typeof value !== 'object' || value === null) return ofText(`${typeof value}:${String(value)}`)
    const before = known.get(value)
    if (before !== undefined) return before
    const made = depth > MAX_COMPARE_DEPTH ? ofText(stringifyOrNull(value) ?? '') : ofInside(value, depth)
    known.set(value, made)
    return made
  }

  function ofInside(value: object, depth: number): number {
    if (Array.isArray(value)) return value.reduce<number>((hash, item) => mix(hash, of(item, depth + 1)), 7)
    // Fields are unordered, so their fingerprints are summed.
    const fields = Object.entries(value).map(([name, inner]) => mix(ofText(name), of(inner, depth + 1)))
    return mix(
      11,
      fields.reduce((sum, field) => (sum + field) % Number.MAX_SAFE_INTEGER, fields.length),
    )
  }

  return {
    of: (value: unknown): number => of(value),
    isEqual: (a: unknown, b: unknown): boolean => of(a) === of(b) && isEqualJson(a, b),
  }
}

/** Returns whether two JSON values are equal, regardless of the order of their fields. */
export function isEqualJson(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  if (depth > MAX_COMPARE_DEPTH) return stringifyOrNull(a) !== null && stringifyOrNull(a) === stringifyOrNull(b)
  const fields = Object.entries(a)
  const others = new Map(Object.entries(b))
  return (
    fields.length === others.size &&
    fields.every(([name, inner]) => others.has(name) && isEqualJson(inner, others.get(name), depth + 1))
  )
}

/** Serializes a value, or returns null if it is nested too deeply. */
function stringifyOrNull(value: object): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}

function ofText(text: string): number {
  let low = 0x811c9dc5
  let high = 0x1b873593
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x85ebca6b)
  }
  return toHash(low, high)
}

function mix(a: number, b: number): number {
  const low = Math.imul((a | 0) ^ (b | 0), 0x01000193) ^ Math.trunc(b / 4_294_967_296)
  const high = Math.imul(Math.trunc(a / 4_294_967_296) + (b | 0), 0x85ebca6b) ^ (a | 0)
  return toHash(low, high)
}

/** Combines two 32-bit values into 53 bits, the most that a number can represent exactly. */
function toHash(low: number, high: number): number {
  return (high >>> 11) * 4_294_967_296 + (low >>> 0)
}
