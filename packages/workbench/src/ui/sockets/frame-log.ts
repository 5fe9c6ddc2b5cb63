import { createBatch, createStore, type Clock, type Store } from '@sdk/frontend'

/** One line of a console: a frame, or a note about what happened. */
export interface ConsoleFrame {
  /** Counts up from 1. */
  readonly id: number
  /** ms since 1970. */
  readonly at: number
  /** `note`: written by the console itself. */
  readonly from: 'client' | 'server' | 'note'
  readonly text: string
  readonly bytes: number
  /** The tone of a note. */
  readonly tone: 'good' | 'bad' | 'warn' | 'quiet'
}

/** The frames of a connection, the latest last. */
export interface FrameLog extends Store<{ readonly frames: readonly ConsoleFrame[]; readonly dropped: number }> {
  add(frame: Pick<ConsoleFrame, 'from' | 'text'> & Partial<Pick<ConsoleFrame, 'tone'>>): void
  clear(): void
}

/** Options of `createFrameLog`. */
export interface FrameLogOptions {
  readonly clock: Clock
  /** How many are kept; the oldest go first. @default 5000 */
  readonly limit?: number
}

/** Makes an empty log. However many frames come, its state changes about once per animation frame. */
export function createFrameLog({ clock, limit = 5000 }: FrameLogOptions): FrameLog {
  const store = createStore<{ frames: readonly ConsoleFrame[]; dropped: number }>({ frames: [], dropped: 0 })
  const batch = createBatch(flush, { clock })
  let kept: ConsoleFrame[] = []
  let count = 0
  let cleared = 0

  return {
    get: store.get,
    subscribe: store.subscribe,
    add({ from, text, tone = 'quiet' }) {
      kept.push({ id: ++count, at: clock.now(), from, text, bytes: byteLength(text), tone })
      // In large steps, so that a full log is not copied for every frame.
      if (kept.length >= limit * 2) kept = kept.slice(-limit)
      batch.touch()
    },
    clear() {
      kept = []
      cleared = count
      flush()
    },
  }

  function flush(): void {
    const frames = kept.slice(-limit)
    store.patch({ frames, dropped: count - cleared - frames.length })
  }
}

const encoder = new TextEncoder()

function byteLength(text: string): number {
  return encoder.encode(text).length
}
