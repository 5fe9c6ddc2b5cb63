import { join } from 'node:path'
import type { Servable } from '@sdk/server'
import { createAppRecorder } from './recorder/app-recorder.ts'
import type { RunSummary } from './run.ts'
import { openSettings, type SettingsFile } from './settings-file.ts'
import { openRunStore } from './store/file-run-store.ts'
import type { RunStore } from './store/run-store.ts'

/** Options of `openRecording`. */
export interface RecordingOptions {
  /** The project's folder; the settings are in its `.sdk/workbench`. */
  readonly root: string
  /** Where runs are kept. @default `.sdk/workbench` of the project */
  readonly folder?: string
  /** Which version of the code answers now: counts loads, from 1. @default always 1 */
  readonly revision?: () => number
  /** Called when a run began, changed or ended. @default not called */
  readonly onRun?: (run: RunSummary) => void
  /** Called when a file cannot be read or written. @default not called */
  readonly onWarning?: (message: string) => void
}

/** Records the calls of a project's app. */
export interface Recording {
  readonly store: RunStore
  readonly settings: SettingsFile
  /** The same app, whose calls are recorded: give this one to the server. */
  recordApp(app: Servable): Servable
  /** Writes what is not written yet. */
  close(): Promise<void>
}

/** The folder with the runs of a project. */
export function recordingFolder(root: string): string {
  return join(root, '.sdk/workbench')
}

/** Begins to record the calls of a project's app. */
export function openRecording(options: RecordingOptions): Recording {
  const { root, folder = recordingFolder(root), onWarning, ...told } = options
  const settings = openSettings(recordingFolder(root))
  const { maxRuns, maxBytes } = settings.get()
  const store = openRunStore({ folder, maxRuns, maxBytes, ...(onWarning && { onWarning }) })
  const recorder = createAppRecorder({ store, root, settings: settings.get, ...told })
  return {
    store,
    settings,
    recordApp: recorder.recordApp,
    async close() {
      recorder.close()
      await store.close()
    },
  }
}
