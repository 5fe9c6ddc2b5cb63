import type { EngineSequence } from '../engine.ts'

/** The number of each session's last handled message, across all processes. */
export interface SharedSequence extends EngineSequence {
  set(session: string, handled: number): Promise<void>
  /** Resolves when no save is pending. */
  settled(): Promise<void>
}

/** The store for sequence numbers. Implemented by each engine driver. */
export interface SequenceStore {
  read(session: string): Promise<number | null>
  /** Stores each session's number, unless a higher number is already stored. */
  save(handled: ReadonlyMap<string, number>): Promise<void>
}

/** Creates a `SharedSequence` from a store. Calls to `set` in the same turn of the event loop share a round trip. */
export function createSharedSequence({ read, save }: SequenceStore): SharedSequence {
  let waiting: { readonly handled: Map<string, number>; readonly saved: Promise<void> } | undefined

  return {
    async get(session) {
      // Wait for a pending save of this session. Its rejection reaches the caller of `set`.
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
