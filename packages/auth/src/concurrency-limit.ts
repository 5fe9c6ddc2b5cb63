import { ApiError } from '@sdk/protocol'

/** A function that runs `work` as soon as the limit allows. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>

/** Creates a limit for concurrent and queued work. If the queue is full, calls reject with `SERVICE_UNAVAILABLE`. */
export function createConcurrencyLimit(options: { concurrency: number; queue: number }): ConcurrencyLimit {
  const waiting: (() => void)[] = []
  let running = 0

  async function acquire(): Promise<void> {
    if (running < options.concurrency) return void running++
    if (waiting.length >= options.queue)
      throw new ApiError('SERVICE_UNAVAILABLE', 'Too many concurrent requests; try again soon', { retryAfter: 1 })
    // `release` passes its slot to the next waiter, so that a new call cannot jump the queue.
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  function release(): void {
    const next = waiting.shift()
    if (next) next()
    else running--
  }

  return async (work) => {
    await acquire()
    try {
      return await work()
    } finally {
      release()
    }
  }
}
