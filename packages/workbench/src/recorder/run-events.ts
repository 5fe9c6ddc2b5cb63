import type { RunSummary } from '../run.ts'
import type { RunRecorder } from '../store/run-store.ts'
import { createDebouncer } from '../store/debouncer.ts'

/** The maximum number of runs reported at once. More would be unreadable and would slow down a busy app. */
const MAX_PENDING = 20

/**
 * Creates a reporter that reports each run at most ten times a second. If a run was reported, its end is reported too.
 */
export function createRunEvents(onRun: (run: RunSummary) => void): { add(recorder: RunRecorder): void; close(): void } {
  let isClosed = false
  const pending = new Set<RunRecorder>()
  const reported = new Set<RunRecorder>()
  const debouncer = createDebouncer(
    () => {
      for (const recorder of pending) {
        reported[recorder.isEnded ? 'delete' : 'add'](recorder)
        void report(recorder)
      }
      pending.clear()
    },
    { waitMs: 10, maxWaitMs: 100 },
  )

  const report = async (recorder: RunRecorder): Promise<void> => {
    const loading = recorder.load()
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
