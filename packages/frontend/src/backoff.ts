/** Options of `backoffDelay`. */
export interface BackoffOptions {
  /** The spread of the first delay in ms; doubles with every attempt. @default 500 */
  base?: number | undefined
  /** The widest spread in ms. @default 20_000 */
  max?: number | undefined
  /** The least delay in ms. @default 50 */
  min?: number | undefined
  random?: (() => number) | undefined
}

/** The wait before attempt 0, 1, 2 … in ms. Full jitter: many clients that fell together do not come back together. */
export function backoffDelay(attempt: number, options: BackoffOptions = {}): number {
  const { base = 500, max = 20_000, min = 50, random = Math.random } = options
  return min + random() * Math.min(max, base * 2 ** attempt)
}
