import { systemClock, type Clock } from '../clock.ts'

/** Options for `createBatch`. */
export interface BatchOptions {
  /** The minimum time between two flushes in ms. @default 16 */
  intervalMs?: number
  /** The source of time. @default the system clock */
  clock?: Clock | undefined
}

/** A rate limit for flushes. */
export interface Batch {
  /**
   * Flushes immediately if the last flush was at least `intervalMs` ago. Otherwise, flushes once when that time has
   * passed.
   */
  touch(): void
  /** Cancels the pending flush. */
  cancel(): void
}

/**
 * Batches changes into one flush per interval. The first change is flushed immediately, and later changes are flushed
 * together.
 */
export function createBatch(flush: () => void, options: BatchOptions = {}): Batch {
  const { intervalMs = 16, clock = systemClock } = options
  let cancelTimer: (() => void) | undefined
  let isTouched: boolean | undefined
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
