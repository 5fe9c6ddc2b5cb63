import type { EngineSequence } from '../engine.ts'

/** The last handled message of each session, across all processes. */
export interface SharedSequence extends EngineSequence {
  set(session: string, handled: number): Promise<void>
  /** Resolves when no save is pending. */
  settled(): Promise<void>
}

/** The store of sequences. Implemented by each engine driver. */
export interface SequenceStore {
  read(session: string): Promise<number | null>
  /** Stores the numbers, except where a higher one is already stored. */
  save(handled: ReadonlyMap<string, number>): Promise<void>
}

/** Creates a sequence on top of a store. Calls of `set` in one turn of the event loop share a round trip. */
export function createSharedSequence({ read, save }: SequenceStore): SharedSequence {
  let waiting: { readonly handled: Map<string, number>; readonly saved: Promise<void> } | undefined

  return {
    async get(session) {
      // Reads after pending saves. Their rejections reach the callers of `set`.
      if (waiting?.handled.has(session) === true) await waiting.saved.catch(() => undefined)
      return read(session)
    },
    set(session, handled) {
      const batch = (waiting ??= open())
      batch.handled.set(session, Math.max(handled, batch.handled.get(session) ?? 0))
      return batch.saved
    },
    async settled() {
      await waiting?.saved.catch(() => undefined) // the rejection reaches the caller of `set`
    },
  }

  function open(): NonNullable<typeof waiting> {
    const handled = new Map<string, number>()
    const turn = new Promise((resolve) => setImmediate(resolve))
    const saved = turn.then(() => {
      waiting = undefined
      return save(handled)
    })
    return { handled, saved }
  }
}
