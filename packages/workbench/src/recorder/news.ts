import type { RunSummary } from '../run.ts'
import type { RunDraft } from '../store/run-store.ts'
import { createPulse } from '../store/pulse.ts'

/** Tells of runs, soon but not of each step. */
export interface News {
  add(draft: RunDraft): void
  close(): void
}

/** Runs that are told of at once: nobody can look at more, and under load the app has better things to do. */
const MAX_NEWS = 20

/** News for one listener: a run is told of at most ten times a second, and one that was told of until its end. */
export function createNews(tell: (run: RunSummary) => void): News {
  let isClosed = false
  const waiting = new Set<RunDraft>()
  const toldOf = new Set<RunDraft>()
  const pulse = createPulse(
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

  const tellOf = async (draft: RunDraft): Promise<void> => {
    const asking = draft.ask()
    if (asking !== null) await asking
    if (!isClosed) tell(draft.summary())
  }

  return {
    add(draft) {
      if (waiting.size < MAX_NEWS || (toldOf.size > 0 && toldOf.has(draft))) waiting.add(draft)
      pulse.touch()
    },
    close() {
      isClosed = true
      pulse.stop()
    },
  }
}
