import { settlesWithin } from '../platform/settles-within.ts'

/**
 * Creates a function that runs `work`, but never twice at the same time. The promise of a call settles with a run that
 * started after the call, and calls that wait for the same run share it.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const start = (): Promise<void> =>
    (running = work().finally(() => {
      running = null
    }))
  return () => {
    if (running === null) return start()
    const follow = (): Promise<void> => {
      next = null
      return running ?? start()
    }
    return (next ??= running.then(follow, follow))
  }
}

/** The time after which other values no longer wait for a call, in ms. */
const MAX_WAIT_MS = 250

/**
 * Creates a function that calls `work` for each value, at most `limit` at a time. Calls that take long do not count, so
 * that they do not delay other values, also in later runs. `work` must not reject.
 */
export function createPool(limit: number) {
  const slow = new Set<unknown>()

  async function call<T>(value: T, work: (value: T) => Promise<void>): Promise<void> {
    const done = work(value)
    if (slow.has(value) || (await settlesWithin(done, MAX_WAIT_MS))) return
    slow.add(value)
    void done.finally(() => slow.delete(value))
  }

  return async <T>(values: Iterable<T>, work: (value: T) => Promise<void>): Promise<void> => {
    const rest = values[Symbol.iterator]()
    const run = async (): Promise<void> => {
      for (let step = rest.next(); step.done !== true; step = rest.next()) await call(step.value, work)
    }
    await Promise.all(Array.from({ length: limit }, run))
  }
}
