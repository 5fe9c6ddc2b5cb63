/** The median; of an even number, the upper one of the two in the middle. */
export function middle(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN
}

/** The median of the ratios of each round. */
export function ratioOf(some: readonly number[], others: readonly number[]): number {
  return middle(some.map((value, round) => value / (others[round] ?? Number.NaN)))
}
