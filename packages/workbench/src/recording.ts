import { join } from 'node:path'
import type { Servable } from '@sdk/server'
import { createRecorder } from './recorder/recorder.ts'
import type { RunSummary } from './run.ts'
import { openSettings, type SettingsFile } from './settings-file.ts'
import { openRunStore } from './store/file-run-store.ts'
import type { RunStore } from './store/run-store.ts'

/** What `openRecording` takes. */
export interface RecordingOptions {
  /** The project's folder, with the settings in `.sdk/workbench`. */
  readonly root: string
  /** Where runs are kept. @default `.sdk/workbench` of the project */
  readonly folder?: string
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
export function openRecording(options: RecordingOptions): Recording {
  const { root, folder = recordingFolder(root), onFault, ...told } = options
  const settings = openSettings(recordingFolder(root))
  const { maxRuns, maxBytes } = settings.get()
  const store = openRunStore({ folder, maxRuns, maxBytes, ...(onFault && { onFault }) })
  const recorder = createRecorder({ store, root, settings: settings.get, ...told })
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
