/** Returns the delay before a driver reconnects, in ms: exponential backoff with jitter. */
export function retryDelay(attempt: number): number {
  return 50 + Math.random() * Math.min(1_000, 50 * 2 ** attempt)
}
