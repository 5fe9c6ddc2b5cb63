import type { RunSummary } from '../run.ts'
import type { RunDraft } from '../store/run-store.ts'
import { createPulse } from '../store/pulse.ts'

/** Reports changes of runs: soon, but several changes at once. */
export interface News {
  add(draft: RunDraft): void
  close(): void
}

/** How many runs are reported at once: nobody can read more, and under load it would cost the app time. */
const MAX_NEWS = 20

/** Reports to one listener. A run is reported at most ten times a second, and once reported, its end always is. */
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
