import type { RunSummary } from '../run.ts'
import type { RunRecorder } from '../store/run-store.ts'
import { createDebouncer } from '../store/debouncer.ts'

/** Reports changes of runs, debounced. */
export interface RunEvents {
  add(recorder: RunRecorder): void
  close(): void
}

/** How many runs are reported at once: nobody can read more, and under load it would cost the app time. */
const MAX_PENDING = 20

/** Reports to one listener. A run is reported at most ten times a second, and once reported, its end always is. */
export function createRunEvents(onRun: (run: RunSummary) => void): RunEvents {
  let isClosed = false
  const pending = new Set<RunRecorder>()
  const reported = new Set<RunRecorder>()
  const debouncer = createDebouncer(
    () => {
      for (const recorder of pending) {
        if (recorder.isEnded) reported.delete(recorder)
        else reported.add(recorder)
        void report(recorder)
      }
      pending.clear()
    },
    { waitMs: 10, maxWaitMs: 100 },
  )

  const report = async (recorder: RunRecorder): Promise<void> => {
    const loading = recorder.loadIdentity()
    if (loading !== null) await loading
    if (!isClosed) onRun(recorder.summary())
  }

  return {
    add(recorder) {
      if (pending.size < MAX_PENDING || (reported.size > 0 && reported.has(recorder))) pending.add(recorder)
      debouncer.trigger()
    },
    close() {
      isClosed = true
      debouncer.stop()
    },
  }
}
