/** Time as an option, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `run` after a delay; returns the function that cancels it. */
  after(ms: number, run: () => void): () => void
}

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    // With 25 days or more, `setTimeout` would run at once.
    const timer = setTimeout(run, Math.min(ms, 2e9))
    return () => clearTimeout(timer)
  },
}
