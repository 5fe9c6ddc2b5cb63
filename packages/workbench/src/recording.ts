import { join } from 'node:path'
import type { Servable } from '@sdk/server'
import type { RunSummary } from './run.ts'
import { openSettings, type SettingsFile } from './settings-file.ts'
import type { RunStore } from './store/run-store.ts'

/** What `openRecording` takes. */
export interface RecordingOptions {
  /** The project's folder; what is recorded goes to its `.sdk/workbench`. */
  readonly root: string
  /** Which state of the code answers now: counts reloads, from 1. @default always 1 */
  readonly revision?: () => number
  /** Told of runs that began, went on or ended. @default nobody is */
  readonly onRun?: (run: RunSummary) => void
  /** Told what was wrong with the files. @default nobody is */
  readonly onFault?: (fault: string) => void
}

/** The calls of a project's app, as they are recorded. */
export interface Recording {
  readonly store: RunStore
  readonly settings: SettingsFile
  /** The same app, whose calls are recorded: give this one to the server. */
  watchApp(app: Servable): Servable
  /** Writes what is left. */
  close(): Promise<void>
}

/** Where the runs of a project are. */
export function recordingFolder(root: string): string {
  return join(root, '.sdk/workbench')
}

/** Begins to record what a project's app is asked and answers. */
export async function openRecording({ root, onFault, ...told }: RecordingOptions): Promise<Recording> {
  const folder = recordingFolder(root)
  const settings = openSettings(folder)
  const store = noRuns
  void onFault
  void told
  const recorder = { watchApp: (app: Servable): Servable => app, close: () => {} }
  return {
    store,
    settings,
    watchApp: recorder.watchApp,
    async close() {
      recorder.close()
      await store.close()
    },
  }
}

/** Until there is a store. */
const noRuns: RunStore = {
  add: () => {},
  update: () => {},
  list: () => Promise.resolve({ runs: [], hasMore: false, callers: [], total: 0 }),
  read: () => Promise.resolve(null),
  pin: () => Promise.resolve(null),
  clear: () => Promise.resolve(0),
  errors: () => Promise.resolve([]),
  limit: () => {},
  flush: () => Promise.resolve(),
  close: () => Promise.resolve(),
}
