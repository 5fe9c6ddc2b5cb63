import fc from 'fast-check'
import type { Splitter } from './splitter.ts'

/** Generates the bytes of a string, cut at any positions, including inside a character, delimiter or line break. */
export function cutBytes(text: string): fc.Arbitrary<Uint8Array[]> {
  const bytes = new TextEncoder().encode(text)
  return fc.array(fc.nat(bytes.length)).map((points) => {
    const edges = [0, ...points.toSorted((a, b) => a - b), bytes.length]
    return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
  })
}

/** Generates a string from the given words, in any order and number, with its bytes cut at any positions. */
export function cutText(...words: string[]): fc.Arbitrary<{ text: string; parts: Uint8Array[] }> {
  return fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, fc.string({ unit: 'grapheme' })))
    .map((list) => list.join(''))
    .chain((text) => cutBytes(text).map((parts) => ({ text, parts })))
}

/** Returns everything that a splitter yields, and the error that it throws. */
export function drain<T>(splitter: Splitter<T>, parts: readonly Uint8Array[]): { pieces: T[]; error: unknown } {
  const pieces: T[] = []
  try {
    for (const part of parts) for (const piece of splitter.push(part)) pieces.push(piece)
    for (const piece of splitter.end()) pieces.push(piece)
  } catch (error) {
    return { pieces, error }
  }
  return { pieces, error: null }
}
