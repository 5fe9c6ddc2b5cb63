import type { Clock } from './clock.ts'

/** A clock on which every wait is over at once. */
export interface InstantClock extends Clock {
  /** All that was waited for, in ms. */
  readonly waits: number[]
}

export function createInstantClock(): InstantClock {
  const waits: number[] = []
  return {
    waits,
    now: () => 0,
    after(ms, run) {
      let isStopped = false
      waits.push(ms)
      queueMicrotask(() => isStopped || run())
      return () => void (isStopped = true)
    },
  }
}

/** A clock whose only timer is over when the test says so. */
export interface ManualClock extends Clock {
  /** The time of the timer that runs, in ms. */
  readonly waiting: number | null
  ring(): void
}

export function createManualClock(onWait: (ms: number) => void = () => {}): ManualClock {
  let timer: { ms: number; run: () => void } | null = null
  return {
    now: () => 0,
    after(ms, run) {
      timer = { ms, run }
      queueMicrotask(() => onWait(ms))
      return () => void (timer = null)
    },
    get waiting() {
      return timer?.ms ?? null
    },
    ring() {
      const { run } = timer ?? { run: () => {} }
      timer = null
      run()
    },
  }
}
