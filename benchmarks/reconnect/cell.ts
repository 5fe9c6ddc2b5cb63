/** The result of a library in a scenario. */
export interface Cell {
  readonly text: string
  /** Whether the result meets our goal. */
  readonly isMet?: boolean
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Formats the minimum and maximum of some figures, in seconds: `1.2–3.4 s`. */
export function range(ms: readonly number[]): string {
  const [least, most] = [Math.min(...ms), Math.max(...ms)].map((one) => (one / 1000).toFixed(1))
  return least === most ? `${least} s` : `${least}–${most} s`
}
