import type { Clock } from '@sdk/frontend'

/** A clock that is advanced by the test. */
export interface FakeClock extends Clock {
  /** Advances the time and runs due timers. */
  advance(ms: number): void
  /** The number of pending timers. */
  readonly waiting: number
}

export function createFakeClock(): FakeClock {
  let now = 1_000_000
  const timers = new Set<{ at: number; run: () => void }>()
  const due = (end: number): { at: number; run: () => void } | undefined =>
    [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance(ms) {
      const end = now + ms
      for (let next = due(end); next !== undefined; next = due(end)) {
        now = Math.max(now, next.at)
        timers.delete(next)
        next.run()
      }
      now = end
    },
    get waiting() {
      return timers.size
    },
  }
}
