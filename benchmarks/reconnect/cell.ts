/** What a library did in a scenario. */
export interface Cell {
  readonly text: string
  /** Does it reach the goal that we have set ourselves? */
  readonly isMet?: boolean
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** The least and the most of some figures, in seconds: `1.2–3.4 s`. */
export function range(ms: readonly number[]): string {
  const [least, most] = [Math.min(...ms), Math.max(...ms)].map((one) => (one / 1000).toFixed(1))
  return least === most ? `${least} s` : `${least}–${most} s`
}
