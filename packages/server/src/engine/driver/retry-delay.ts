/** Returns how long a driver waits before it connects again, in ms: at random, and longer after each failed attempt. */
export function retryDelay(attempt: number): number {
  return 50 + Math.random() * Math.min(1_000, 50 * 2 ** attempt)
}
