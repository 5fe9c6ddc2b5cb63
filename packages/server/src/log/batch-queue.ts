import { isWorkers } from '../platform/is-workers.ts'
import { unref } from '../platform/unref-timer.ts'

/** Options for `createBatchQueue`. */
export interface BatchQueueOptions<T> {
  /**
   * Processes a batch, oldest item first. `dropped` is the number of items that were dropped before the batch. The next
   * batch waits for the returned promise. Errors are ignored, since a queue of log lines has nowhere to report them.
   */
  drain(batch: T[], dropped: number): void | Promise<void>
  /** The maximum time that an item waits, in ms. @default 100 */
  maxWait?: number
  /** The number of queued items that triggers an immediate drain. @default 1000, or 1 on Cloudflare Workers */
  maxBatch?: number
  /** The maximum number of items queued while `drain` is busy. Beyond it, the oldest are dropped. @default 10_000 */
  maxQueued?: number
  /** The clock. @default Date.now */
  now?: () => number
}

/** A queue that drains its items in batches, so that adding one is cheap. */
export interface BatchQueue<T> {
  /** Adds an item to the next batch. */
  add(item: T): void
  /** Adds an item and flushes the queue immediately, unless the last flush was less than `maxWait` ago. */
  addSoon(item: T): void
  /** Drains all items, even while `drain` is busy. A returned promise resolves when they have been drained. */
  flush(): void | Promise<void>
}

/** Creates a bounded queue. It has a single timer, which exists only while items are queued. */
export function createBatchQueue<T>(options: BatchQueueOptions<T>): BatchQueue<T> {
  const { drain, maxWait = 100, maxQueued = 10_000, now = Date.now } = options
  // On Cloudflare Workers, a request must not wait for the timer of another, which may have ended.
  const { maxBatch = isWorkers() ? 1 : 1_000 } = options
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
    return undefined // errors are ignored: see `drain`
  }
}
