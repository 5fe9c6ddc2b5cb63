import type { Clock } from '@sdk/frontend'

/** A queue that delays frames in one direction. */
export type FrameDelay = ReturnType<typeof createFrameDelay>

/** Creates a queue that delays frames in one direction and keeps them in order. Initially, there is no delay. */
export function createFrameDelay(clock: Clock) {
  const waiting: { at: number; pass: () => void }[] = []
  let delay = 0
  let isHeld = false
  let isCut = false
  let stopTimer = (): void => {}

  return {
    /** Passes a frame on, either immediately or after the delay. */
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
    /** Drops all frames in transit and all later frames. */
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

  /** Removes and returns the first frame if it is due. Later frames never overtake it, even with a shorter delay. */
  function due(): (typeof waiting)[number] | undefined {
    const next = waiting[0]
    return next === undefined || isHeld || next.at > clock.now() ? undefined : waiting.shift()
  }
}
