import type { Clock } from '@sdk/frontend'

/** One direction of a wire. The order is always kept. */
export interface FrameDelay {
  /** Passes something on: now, or when its delay is over. */
  put(pass: () => void): void
  /** What is put from now on takes so long, in ms. */
  setDelay(ms: number): void
  hold(isHeld: boolean): void
  /** Drops all that is on its way, and all that comes later. */
  cut(): void
  size(): number
}

/** Makes a lane that lets everything through at once. */
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
