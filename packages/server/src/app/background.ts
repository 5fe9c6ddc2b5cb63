import type { RequestContext } from '../context/context.ts'
import { errorFields } from '../log/log.ts'

/** Work that goes on after its answer. */
export interface Background {
  add(work: Promise<unknown>, ctx: RequestContext): void
  /** The ids of the requests that work is going on for, the last one first. */
  ids(): string[]
  settled(): Promise<unknown>
}

/** Where `waitUntil` puts work. */
export function createBackground(): Background {
  const pending = new Map<Promise<unknown>, string>()
  return {
    add(work, ctx) {
      const settled = Promise.resolve(work)
        .catch((error: unknown) => ctx.log.error('work in waitUntil failed', errorFields(error)))
        // Kept for a moment: what the work left behind may fail after it.
        .finally(() => setTimeout(() => pending.delete(settled), 0))
      pending.set(settled, ctx.requestId)
    },
    ids: () => [...new Set([...pending.values()].toReversed())],
    settled: () => Promise.all(pending.keys()),
  }
}
