/** A source of time and timers, which tests can replace. */
export interface Clock {
  /** Returns the time in ms since the Unix epoch. */
  now(): number
  /** Calls `run` after a delay. Returns a function that cancels the call. */
  after(ms: number, run: () => void): () => void
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    // With a delay of 25 days or more, `setTimeout` would run immediately.
    const timer = setTimeout(run, Math.min(ms, 2e9))
    return () => clearTimeout(timer)
  },
}
