import { type LruNode, LruList } from './lru-list.ts'
import type { EngineSequence } from './engine.ts'

/** The number of each session's last handled message, within one process. `set` is synchronous. */
export interface MemorySequence extends EngineSequence {
  set(session: string, handled: number): void
  clear(): void
}

interface SequenceEntry extends LruNode<SequenceEntry> {
  readonly id: string
  readonly handled: number
}

/** How long after its last message a session expires, in ms. */
const SEQUENCE_TTL_MS = 3_600_000

/** Creates a `MemorySequence` that keeps at most `sessions` sessions. */
export function createMemorySequence(now: () => number, sessions = 100_000): MemorySequence {
  const byId = new Map<string, SequenceEntry>()
  const order = new LruList<SequenceEntry>()

  return {
    get(id) {
      forgetOld()
      return Promise.resolve(byId.get(id)?.handled ?? null)
    },
    set(id, handled) {
      const known = byId.get(id)
      if (known !== undefined) order.remove(known)
      // Ignore a lower number that arrives late.
      const last = Math.max(known?.handled ?? 0, handled)
      const session: SequenceEntry = { id, handled: last, at: now(), older: undefined, newer: undefined }
      byId.set(id, session)
      order.append(session)
      forgetOld()
    },
    clear() {
      byId.clear()
      order.clear()
    },
  }

  function forgetOld(): void {
    const limit = now() - SEQUENCE_TTL_MS
    for (let { oldest } = order; oldest !== undefined; oldest = order.oldest) {
      if (oldest.at > limit && byId.size <= sessions) return
      order.remove(oldest)
      byId.delete(oldest.id)
    }
  }
}
