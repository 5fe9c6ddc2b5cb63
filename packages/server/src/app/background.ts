import type { RequestContext } from '../context/context.ts'
import { errorFields } from '../log/log.ts'

/**
 * Creates a tracker for `waitUntil` work, which continues after the response. `ids` returns the ids of the requests
 * that have pending work, newest first.
 */
export function createBackground(): {
  add(work: Promise<unknown>, ctx: RequestContext): void
  ids(): string[]
  settled(): Promise<unknown>
} {
  const pending = new Map<Promise<unknown>, string>()
  return {
    add(work, ctx) {
      const settled = Promise.resolve(work)
        .catch((error: unknown) => ctx.log.error('a promise passed to waitUntil was rejected', errorFields(error)))
        // The entry is removed after a short delay, since promises that `work` did not await may still reject.
        .finally(() => setTimeout(() => pending.delete(settled), 0))
      pending.set(settled, ctx.requestId)
      ctx.incoming.waitUntil?.(settled)
    },
    ids: () => [...new Set([...pending.values()].toReversed())],
    settled: () => Promise.all(pending.keys()),
  }
}
