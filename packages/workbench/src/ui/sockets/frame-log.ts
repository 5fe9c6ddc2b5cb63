import { createBatch, createStore, type Clock } from '@sdk/frontend'

/** A line in the console: a frame, or a note about an event. */
export interface ConsoleFrame {
  /** The line number, starting at 1. */
  readonly id: number
  /** The time, in ms since the Unix epoch. */
  readonly at: number
  /** The sender of the frame, or `note` for a line from the console itself. */
  readonly from: 'client' | 'server' | 'note'
  readonly text: string
  readonly bytes: number
  /** The color of a note. */
  readonly tone: 'good' | 'bad' | 'warn' | 'quiet'
}

/** The frames of a connection, oldest first. */
export type FrameLog = ReturnType<typeof createFrameLog>

/**
 * Creates an empty log that keeps the newest `limit` frames. Its state changes at most about once per animation frame.
 */
export function createFrameLog({ clock, limit = 5000 }: { clock: Clock; limit?: number }) {
  const store = createStore<{ frames: readonly ConsoleFrame[]; dropped: number }>({ frames: [], dropped: 0 })
  const batch = createBatch(flush, { clock })
  let kept: ConsoleFrame[] = []
  let count = 0
  let cleared = 0

  return {
    get: store.get,
    subscribe: store.subscribe,
    add({ from, text, tone = 'quiet' }: Pick<ConsoleFrame, 'from' | 'text'> & Partial<Pick<ConsoleFrame, 'tone'>>) {
      kept.push({ id: ++count, at: clock.now(), from, text, bytes: encoder.encode(text).length, tone })
      // Frames are dropped in large batches, so that a full log is not copied for every frame.
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
