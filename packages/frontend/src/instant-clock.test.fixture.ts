import type { Clock } from './clock.ts'

/** A clock whose timers run immediately. */
export interface InstantClock extends Clock {
  /** The delays of all timers in ms. */
  readonly waits: number[]
}

/** Creates the clock. Timers with one of the delays `never` do not run. */
export function createInstantClock(...never: readonly number[]): InstantClock {
  const waits: number[] = []
  return {
    waits,
    now: () => 0,
    after(ms, run) {
      let isStopped = never.includes(ms)
      if (!isStopped) waits.push(ms)
      queueMicrotask(() => isStopped || run())
      return () => void (isStopped = true)
    },
  }
}

/** A clock with a single timer, which the test runs. */
export interface ManualClock extends Clock {
  /** The delay of the pending timer in ms, or null if there is none. */
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
