import type { Clock } from './clock.ts'

/** A clock that the test advances. */
export interface FakeClock extends Clock {
  /** Advances the clock and runs due timers. Lets promises settle before, between and after them. */
  advance(ms: number): Promise<void>
  /** Advances the clock without running timers, as in a frozen page. */
  freeze(ms: number): void
  /** Runs all timers now without advancing the clock, as after the system clock was set back. */
  runAll(): void
  /** The number of pending timers. */
  readonly waiting: number
}

export function createFakeClock(): FakeClock {
  let now = 1_000_000
  const timers = new Set<{ at: number; run: () => void }>()
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    async advance(ms) {
      const end = now + ms
      await settle()
      for (let next = due(end); next !== undefined; next = due(end)) {
        now = Math.max(now, next.at)
        timers.delete(next)
        next.run()
        await settle()
      }
      now = end
    },
    freeze: (ms) => void (now += ms),
    runAll() {
      const all = [...timers]
      timers.clear()
      for (const { run } of all) run()
    },
    get waiting() {
      return timers.size
    },
  }

  function due(end: number): { at: number; run: () => void } | undefined {
    return [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
  }
}

/** Waits until all pending promise callbacks have run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}
