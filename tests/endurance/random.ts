/** A repeatable random generator. */
export interface Random {
  /** Returns an integer from 0 to less than `limit`. */
  below(limit: number): number
  pick<T>(list: readonly T[]): T
}

/** Creates a generator with the same numbers for the same seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick(list) {
      const picked = list[below(list.length)]
      if (picked === undefined) throw new TypeError('nothing to pick from')
      return picked
    },
  }
}
