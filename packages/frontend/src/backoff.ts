/** Options of `backoffDelay`. */
export interface BackoffOptions {
  /** The spread of the first delay in ms; doubles with every attempt. @default 500 */
  base?: number | undefined
  /** The widest spread in ms. @default 20_000 */
  max?: number | undefined
  /** The least delay in ms. @default 50 */
  min?: number | undefined
  /** A number from 0 to 1. @default Math.random */
  random?: (() => number) | undefined
}

/** The floor under a socket's waits doubles so many times. */
const MAX_DOUBLINGS = 7

/** The wait before attempt 0, 1, 2 … in ms. Full jitter: many clients that fell together do not come back together. */
export function backoffDelay(attempt: number, options: BackoffOptions = {}): number {
  const { base = 500, max = 20_000, min = 50, random = Math.random } = options
  return min + random() * Math.min(max, base * 2 ** attempt)
}

/**
 * The wait in ms before a socket is opened again, after so many failures in a row; the server wants first retries spread
 * over so many ms. The floor grows too: luck must not let one client hammer a server that accepts and drops.
 */
export function reconnectDelay(failures: number, spread: number, options: BackoffOptions = {}): number {
  const { base = 500, max = 20_000, min = 50, random = Math.random } = options
  const width = failures ? base * 2 ** failures : Math.max(base, spread)
  return min * 2 ** Math.min(failures, MAX_DOUBLINGS) + random() * Math.min(max, width)
}
