import type { Servable } from '@sdk/server'
import type { Settings } from '../api.ts'
import type { RunSummary } from '../run.ts'
import type { RunStore } from '../store/run-store.ts'

/** What `createRecorder` takes. */
export interface RecorderOptions {
  readonly store: RunStore
  /** The project's folder: frames of stacks inside of it are the user's own. */
  readonly root: string
  /** Which state of the code answers now: counts reloads, from 1. @default always 1 */
  readonly revision?: () => number
  /** Asked at every call. @default records all, hides what is named like a secret */
  readonly settings?: () => Pick<Settings, 'isRecording' | 'redact'>
  /** Told of runs that began, went on or ended: soon, and at most ten times a second of each. */
  readonly onRun?: (run: RunSummary) => void
  /** The time of day, in ms since 1970. @default Date.now */
  readonly now?: () => number
  /** A clock that only goes forward, in ms. @default performance.now */
  readonly clock?: () => number
}

/** Records what an app is asked and what it answers. */
export interface Recorder {
  /** The same app, whose calls at `/agent`, `/api` and `/ws` are recorded: give this one to the server. */
  watchApp(app: Servable): Servable
  /** Tells nobody any more; the store is closed by who opened it. */
  close(): void
}
