import type { RunSummary } from '../run.ts'
import type { RunRecorder } from '../store/run-store.ts'
import { createDebouncer } from '../store/debouncer.ts'

/** Reports changes of runs: soon, but several changes at once. */
export interface RunEvents {
  add(draft: RunRecorder): void
  close(): void
}

/** How many runs are reported at once: nobody can read more, and under load it would cost the app time. */
const MAX_PENDING = 20

/** Reports to one listener. A run is reported at most ten times a second, and once reported, its end always is. */
export function createRunEvents(tell: (run: RunSummary) => void): RunEvents {
  let isClosed = false
  const waiting = new Set<RunRecorder>()
  const toldOf = new Set<RunRecorder>()
  const pulse = createDebouncer(
    () => {
      for (const draft of waiting) {
        if (draft.isEnded) toldOf.delete(draft)
        else toldOf.add(draft)
        void tellOf(draft)
      }
      waiting.clear()
    },
    { quiet: 10, most: 100 },
  )

  const tellOf = async (draft: RunRecorder): Promise<void> => {
    const asking = draft.loadIdentity()
    if (asking !== null) await asking
    if (!isClosed) tell(draft.summary())
  }

  return {
    add(draft) {
      if (waiting.size < MAX_PENDING || (toldOf.size > 0 && toldOf.has(draft))) waiting.add(draft)
      pulse.trigger()
    },
    close() {
      isClosed = true
      pulse.stop()
    },
  }
}
