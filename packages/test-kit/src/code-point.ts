import { integer, type Arbitrary } from 'fast-check'

/** The code points between these are halves of surrogate pairs, which no valid string contains alone. */
const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * A unit for `fc.string` with every code point, like `unit: 'binary'`. For that unit, fast-check creates a map of all
 * code points, which takes a second and 80 MB in each process.
 */
export const codePoint: Arbitrary<string> = integer({ min: 0, max: 0x10_ffff - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  toIndex,
)

function toIndex(text: unknown): number {
  const [point, ...others] = typeof text === 'string' ? Array.from(text) : []
  const value = point?.codePointAt(0)
  if (value === undefined || others.length > 0) throw new TypeError(`expected one code point, got ${String(text)}`)
  return value < SURROGATES.first ? value : value - SURROGATES.count
}
