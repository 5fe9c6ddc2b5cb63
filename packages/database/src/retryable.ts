/** Returns a function that runs `work` once for all callers. After a failure, the next call runs it again. */
export function retryable<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () =>
    (running ??= work().catch((error: unknown) => {
      running = null
      throw error
    }))
}
