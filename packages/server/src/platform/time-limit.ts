import { unref } from './unref-timer.ts'

/**
 * Creates a function that limits the time of work to `ms`. Late work rejects with the result of `toError`. All work
 * shares one timer, since starting and stopping a timer costs more than reading a small body.
 */
export function createTimeLimit(ms: number, toError: () => Error): <T>(work: Promise<T>) => Promise<T> {
  // In the order of their deadlines, because `ms` is constant.
  const deadlines = new Map<(error: Error) => void, number>()
  let isScheduled = false

  function schedule(delay: number): void {
    isScheduled = true
    unref(setTimeout(rejectLate, delay))
  }

  function rejectLate(): void {
    isScheduled = false
    const now = performance.now()
    for (const [reject, deadline] of deadlines) {
      if (deadline > now) return schedule(deadline - now)
      deadlines.delete(reject)
      reject(toError())
    }
  }

  return (work) =>
    ms === Infinity
      ? work
      : new Promise((resolve, reject) => {
          deadlines.set(reject, performance.now() + ms)
          if (!isScheduled) schedule(ms)
          const end = (): unknown => deadlines.delete(reject)
          work.then(
            (value) => (end(), resolve(value)),
            (error: Error) => (end(), reject(error)),
          )
        })
}
