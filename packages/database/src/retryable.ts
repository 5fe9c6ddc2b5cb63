/** Wraps work that runs once for all callers, and again for the next caller after a failure. */
export function retryable<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () =>
    (running ??= work().catch((error: unknown) => {
      running = null
      throw error
    }))
}
