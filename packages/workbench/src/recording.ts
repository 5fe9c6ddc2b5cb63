import { join } from 'node:path'
import type { ObserveRun, Servable } from '@sdk/server'
import { createAppRecorder } from './recorder/app-recorder.ts'
import type { RunSummary } from './run.ts'
import { openSettings, type SettingsFile } from './settings-file.ts'
import { openRunStore } from './store/file-run-store.ts'
import type { RunStore } from './store/run-store.ts'

/** Options for `openRecording`. */
export interface RecordingOptions {
  /** The project's folder. The settings are stored in its `.sdk/workbench` folder. */
  readonly root: string
  /** The folder in which runs are stored. @default `.sdk/workbench` in the project */
  readonly folder?: string
  /** Returns the current version of the code, counted from 1. @default always 1 */
  readonly revision?: () => number
  /** Called when a run starts, changes or ends. @default not called */
  readonly onRun?: (run: RunSummary) => void
  /** Called when a file cannot be read or written. @default not called */
  readonly onWarning?: (message: string) => void
}

/** A recorder for the calls to a project's app, with its store and settings. */
export interface Recording {
  readonly store: RunStore
  readonly settings: SettingsFile
  /** Wraps an app so that calls to it are recorded. Pass the result to the server. */
  recordApp(app: Servable): Servable
  /** Records a durable run that no request observes. Pass it to `createApp` as `~observeRun`. */
  readonly observeRun: ObserveRun
  /** Writes all pending runs. */
  close(): Promise<void>
}

/** Returns the folder in which a project's runs are stored. */
export function recordingFolder(root: string): string {
  return join(root, '.sdk/workbench')
}

/** Starts recording the calls to a project's app. */
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
    observeRun: recorder.observeRun,
    async close() {
      recorder.close()
      await store.close()
    },
  }
}
