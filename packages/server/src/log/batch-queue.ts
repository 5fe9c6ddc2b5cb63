import { unref } from '../platform/unref-timer.ts'

/** What `createBatchQueue` takes. */
export interface BatchQueueOptions<T> {
  /**
   * Takes a batch, the oldest first, and how many were dropped before it. A promise holds the next batch back.
   * What it throws is lost: a queue of log lines has nowhere to say it.
   */
  drain(batch: T[], dropped: number): void | Promise<void>
  /** How long an item may wait, in ms. @default 100 */
  maxWait?: number
  /** This many items leave at once. @default 1000 */
  maxBatch?: number
  /** While `drain` is busy this many are kept; then the oldest are dropped. @default 10 000 */
  maxQueued?: number
  /** The clock. @default Date.now */
  now?: () => number
}

/** Collects items and hands them over in batches, so that adding one costs next to nothing. */
export interface BatchQueue<T> {
  /** Adds what can wait for the next batch. */
  add(item: T): void
  /** Adds what goes out at once if the last batch is long ago, else with the next. */
  addSoon(item: T): void
  /** Hands over all there is, even while `drain` is busy; the promise, where there is one, says when it is out. */
  flush(): void | Promise<void>
}

/** A bounded queue with one timer, which exists only while something waits. */
export function createBatchQueue<T>(options: BatchQueueOptions<T>): BatchQueue<T> {
  const { drain, maxWait = 100, maxBatch = 1_000, maxQueued = 10_000, now = Date.now } = options
  let items: T[] = []
  let dropped = 0
  let drainedAt = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  let busy: Promise<void> | undefined

  function add(item: T): void {
    const length = items.push(item)
    if (busy === undefined) {
      if (length >= maxBatch) void flush()
      else timer ??= unref(setTimeout(() => void flush(), maxWait))
    } else if (length > maxQueued) {
      items.shift()
      dropped++
    }
  }

  function flush(): void | Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (items.length === 0) return busy
    const batch = items
    const lost = dropped
    items = []
    dropped = 0
    drainedAt = now()
    const done = settle(() => drain(batch, lost))
    if (done === undefined) return busy
    const all: Promise<void> = Promise.all([busy, done]).then(() => {
      if (busy !== all) return
      busy = undefined
      if (items.length > 0) timer ??= unref(setTimeout(() => void flush(), 0))
    })
    busy = all
    return all
  }

  return {
    add,
    flush,
    addSoon(item) {
      add(item)
      if (busy === undefined && Math.abs(now() - drainedAt) >= maxWait) void flush()
    },
  }
}

function settle(work: () => void | Promise<void>): Promise<void> | undefined {
  try {
    return work()?.catch(() => {})
  } catch {
    return undefined // see `drain`
  }
}
