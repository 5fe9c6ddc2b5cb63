/** Options for `backoffDelay`. */
export interface BackoffOptions {
  /** The maximum random part of the first delay in ms. It doubles with every attempt. @default 500 */
  base?: number | undefined
  /** The maximum random part of any delay in ms. @default 20_000 */
  max?: number | undefined
  /** The minimum delay in ms, to which the random part is added. @default 50 */
  min?: number | undefined
  /** Returns a number from 0 to 1. @default Math.random */
  random?: (() => number) | undefined
}

/** The maximum number of times that a socket's minimum delay is doubled. */
const MAX_DOUBLINGS = 7

/** Returns the delay in ms before attempt 0, 1, 2 … with full jitter, so that failed clients do not retry together. */
export function backoffDelay(attempt: number, options: BackoffOptions = {}): number {
  const { base = 500, max = 20_000, min = 50, random = Math.random } = options
  return min + random() * Math.min(max, base * 2 ** attempt)
}

/**
 * Returns the delay in ms before a socket reconnects after a number of consecutive failures. First retries are spread
 * over `spread` ms. The minimum delay also grows: a client must not hammer a server that accepts and drops connections.
 */
export function reconnectDelay(failures: number, spread: number, options: BackoffOptions = {}): number {
  const { base = 500, max = 20_000, min = 50, random = Math.random } = options
  const width = failures ? base * 2 ** failures : Math.max(base, spread)
  return min * 2 ** Math.min(failures, MAX_DOUBLINGS) + random() * Math.min(max, width)
}
