import type { EngineSequence } from '../engine.ts'

/** How far sessions are, in all processes. */
export interface SharedSequence extends EngineSequence {
  set(session: string, handled: number): Promise<void>
  /** Settles when nothing waits to be saved. */
  settled(): Promise<void>
}

/** Where sequences are kept: what a driver brings along. */
export interface SequenceStore {
  read(session: string): Promise<number | null>
  /** Saves these, unless higher numbers are there. */
  save(handled: ReadonlyMap<string, number>): Promise<void>
}

/** Sequences over a store. What is set in one turn of the event loop goes there in one round trip. */
export function createSharedSequence({ read, save }: SequenceStore): SharedSequence {
  let waiting: { readonly handled: Map<string, number>; readonly saved: Promise<void> } | undefined

  return {
    async get(session) {
      // What was set before is read; whether it could be saved is told to who set it.
      if (waiting?.handled.has(session) === true) await waiting.saved.catch(() => undefined)
      return read(session)
    },
    set(session, handled) {
      const batch = (waiting ??= open())
      batch.handled.set(session, Math.max(handled, batch.handled.get(session) ?? 0))
      return batch.saved
    },
    async settled() {
      await waiting?.saved.catch(() => undefined) // who set it is told
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
