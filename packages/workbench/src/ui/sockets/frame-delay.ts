import type { Clock } from '@sdk/frontend'

/** The frames of one direction. */
export type FrameDelay = ReturnType<typeof createFrameDelay>

/** Delays the frames of one direction, in their order; at first by nothing. */
export function createFrameDelay(clock: Clock) {
  const waiting: { at: number; pass: () => void }[] = []
  let delay = 0
  let isHeld = false
  let isCut = false
  let stopTimer = (): void => {}

  return {
    /** Passes something on: now, or when its delay is over. */
    put(pass: () => void) {
      if (isCut) return
      waiting.push({ at: clock.now() + delay, pass })
      if (waiting.length === 1) run()
    },
    setDelay: (ms: number) => void (delay = ms),
    hold(next: boolean) {
      isHeld = next
      run()
    },
    /** Drops all that is on its way, and all that comes later. */
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
