/** Returns the median; for an even number of values, the upper of the two middle ones. */
export function middle(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN
}

/** Returns the median of the ratios of each round. */
export function ratioOf(some: readonly number[], others: readonly number[]): number {
  return middle(some.map((value, round) => value / (others[round] ?? Number.NaN)))
}
