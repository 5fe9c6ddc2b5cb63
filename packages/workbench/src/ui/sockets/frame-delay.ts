import type { Clock } from '@sdk/frontend'

/** Delays the frames of one direction. Their order is kept. */
export interface FrameDelay {
  /** Passes something on: now, or when its delay is over. */
  put(pass: () => void): void
  /** Sets the delay of further frames, in ms. */
  setDelay(ms: number): void
  hold(isHeld: boolean): void
  /** Drops all that is on its way, and all that comes later. */
  cut(): void
  size(): number
}

/** Creates a queue without a delay. */
export function createFrameDelay(clock: Clock): FrameDelay {
  const waiting: { at: number; pass: () => void }[] = []
  let delay = 0
  let isHeld = false
  let isCut = false
  let stopTimer = (): void => {}

  return {
    put(pass) {
      if (isCut) return
      waiting.push({ at: clock.now() + delay, pass })
      if (waiting.length === 1) run()
    },
    setDelay: (ms) => void (delay = ms),
    hold(next) {
      isHeld = next
      run()
    },
    cut() {
      isCut = true
      waiting.length = 0
      stopTimer()
    },
    size: () => waiting.length,
  }

  function run(): void {
    stopTimer()
    for (let next = due(); next !== undefined; next = due()) next.pass()
    const left = (waiting[0]?.at ?? 0) - clock.now()
    if (!isHeld && waiting.length > 0) stopTimer = clock.after(left, run)
  }

  /** Takes the first one if its time has come. No later one overtakes it, even with a shorter delay. */
  function due(): (typeof waiting)[number] | undefined {
    const next = waiting[0]
    return next === undefined || isHeld || next.at > clock.now() ? undefined : waiting.shift()
  }
}
