import { systemClock, type Clock } from '../clock.ts'

/** Options of `createBatch`. */
export interface BatchOptions {
  /** The least time between two flushes in ms; about a frame. @default 16 */
  intervalMs?: number
  /** What tells the time. @default the time of this machine */
  clock?: Clock | undefined
}

/** Many touches, few flushes. */
export interface Batch {
  /** Flushes now if the last flush was long enough ago, else once when it will have been. */
  touch(): void
  /** Forgets what waits. */
  cancel(): void
}

/** Joins many changes into one flush per interval: the first goes out at once, the rest together. */
export function createBatch(flush: () => void, options: BatchOptions = {}): Batch {
  const { intervalMs = 16, clock = systemClock } = options
  let cancelTimer: (() => void) | undefined
  let isTouched = false
  return {
    touch() {
      isTouched = true
      if (!cancelTimer) run()
    },
    cancel() {
      isTouched = false
      cancelTimer?.()
      cancelTimer = undefined
    },
  }

  function run(): void {
    cancelTimer = undefined
    if (!isTouched) return
    isTouched = false
    cancelTimer = clock.after(intervalMs, run)
    flush()
  }
}
