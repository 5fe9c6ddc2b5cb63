import type { Store } from '../define/store.ts'
import type { Reply } from '../http/reply.ts'
import { emitChange, type ResourceRequest, type ResourceRuntime, type RowChange } from './resource-runtime.ts'

/** The result of a write. */
export interface WriteResult {
  readonly reply: Reply
  /** The change that the `on` hook receives, or null if the row already had these values. */
  readonly change: RowChange | null
}

/**
 * Writes to a store, and then calls the `on` hook. With an `Idempotency-Key`, `write` runs in a transaction that also
 * stores its reply; if the key was used before, returns the stored reply instead. `write` must use only the store that
 * it receives, because the transaction may hold the only connection.
 */
export async function writeOnce<S extends Store>(
  store: S,
  { runtime, call }: { runtime: ResourceRuntime; call: ResourceRequest },
  write: (store: S) => Promise<WriteResult>,
): Promise<Reply> {
  const { ctx, tools, keyed } = call
  let written: WriteResult | undefined
  const run = async (inner: Store): Promise<Reply> => (written = await write(inner as S)).reply
  const reply = await (keyed === null ? run(store) : tools.idempotency.runIn(store, keyed, run))
  // The store may have discarded this result and returned the stored reply of a concurrent request.
  if (written?.change && written.reply === reply) emitChange(runtime, ctx, written.change)
  return reply
}

/**
 * Runs a request with an `Idempotency-Key`. If it fails, for example because the row has changed or is gone since the
 * first request with this key, returns the stored reply of that request.
 */
export async function runKeyed(
  runtime: ResourceRuntime,
  call: ResourceRequest,
  run: (runtime: ResourceRuntime, call: ResourceRequest) => Promise<Reply>,
): Promise<Reply> {
  try {
    return await run(runtime, call)
  } catch (error) {
    if (call.keyed === null) throw error
    return call.tools.idempotency.runIn(runtime.resource.store, call.keyed, async () => {
      throw error
    })
  }
}
