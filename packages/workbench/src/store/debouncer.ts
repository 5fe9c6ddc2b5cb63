/** Debounces work: several touches lead to one beat. */
export interface Debouncer {
  /** Asks for a beat. */
  trigger(): void
  stop(): void
}

/** Calls `beat` when nobody has touched it for `quiet` ms, and at the latest `most` ms after the first touch. */
export function createDebouncer(beat: () => void, { quiet, most }: { quiet: number; most: number }): Debouncer {
  let timer: NodeJS.Timeout | undefined
  let since = 0
  let isTouched = false

  // One timer that looks at a flag: setting a new timer at every touch would cost more than the recording itself.
  const look = (): void => {
    since += quiet
    if (isTouched && since < most) {
      isTouched = false
      timer?.refresh()
      return
    }
    timer = undefined
    beat()
  }

  return {
    trigger() {
      isTouched = true
      if (timer !== undefined) return
      isTouched = false
      since = 0
      timer = setTimeout(look, quiet).unref()
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
