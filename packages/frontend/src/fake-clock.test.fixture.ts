import type { Clock } from './clock.ts'

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /** Goes on by so many ms, running what is due; lets promises settle before, between and after. */
  advance(ms: number): Promise<void>
  /** Time goes by in which nothing runs, as in a page that is frozen. */
  freeze(ms: number): void
  /** Runs all timers now, as where the clock was set back: they run in their time, whatever it says. */
  runAll(): void
  /** How many timers wait. */
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

/** Lets everything that waits only for other promises happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}
