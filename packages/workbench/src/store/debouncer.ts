/**
 * Creates a debouncer. It calls `run` once there have been no triggers for `waitMs` ms, but at most `maxWaitMs` ms
 * after the first trigger.
 */
export function createDebouncer(
  run: () => void,
  { waitMs, maxWaitMs }: { waitMs: number; maxWaitMs: number },
): { trigger(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let since = 0
  let isTriggered = false

  // A single timer checks a flag: creating a timer for every trigger would cost more than the recording itself.
  const check = (): void => {
    since += waitMs
    if (isTriggered && since < maxWaitMs) {
      isTriggered = false
      timer?.refresh()
      return
    }
    timer = undefined
    run()
  }

  return {
    trigger() {
      isTriggered = true
      if (timer !== undefined) return
      isTriggered = false
      since = 0
      timer = setTimeout(check, waitMs).unref()
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
