import type { RequestContext } from '../context/context.ts'
import { errorFields } from '../log/log.ts'

/** Keeps work of `waitUntil`, which goes on after its answer; `ids` are those of its requests, the last one first. */
export function createBackground(): {
  add(work: Promise<unknown>, ctx: RequestContext): void
  ids(): string[]
  settled(): Promise<unknown>
} {
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
