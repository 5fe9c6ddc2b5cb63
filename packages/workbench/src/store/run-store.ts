import type { ErrorGroup, RunFilter, RunList } from '../api.ts'
import type { Run, RunSummary } from '../run.ts'
import type { Limits } from './retention.ts'

/** A run that is being recorded. `summary` and `toRun` are computed on each call. */
export interface RunRecorder {
  readonly id: string
  readonly isEnded: boolean
  /**
   * Loads the user, and waits for data that is being recorded. Call it before `summary` or `toRun`. Returns null if
   * nothing has to be loaded. Never rejects.
   */
  load(): Promise<unknown> | null
  summary(): RunSummary
  toRun(): Run
  /** Frees the recorder's memory after the run has been written or dropped. */
  release(): void
}

/** Options for `openRunStore`. */
export interface RunStoreOptions extends Partial<Limits> {
  /** The project's `.sdk/workbench` folder. It is created on the first write. */
  readonly folder: string
  /** Called when a file cannot be read or written. @default not called */
  readonly onWarning?: (message: string) => void
}

/** A project's runs, both those on disk and those in progress. */
export interface RunStore {
  /** Adds a run that has started. It is listed immediately and written to disk shortly after. */
  add(recorder: RunRecorder): void
  /** Updates a run. Must be called each time it changes, and when it ends. Ended runs are written, then released. */
  update(recorder: RunRecorder): void
  /** Returns a page of runs, newest first. */
  list(filter?: RunFilter): Promise<RunList>
  /** Returns a run, or null if it does not exist. */
  read(id: string): Promise<Run | null>
  /** Pins a run, so that it is never dropped, or unpins it. Returns null if the run does not exist. */
  pin(id: string, isPinned: boolean): Promise<RunSummary | null>
  /** Deletes all ended runs that are not pinned, and returns their number. */
  clear(): Promise<number>
  errors(): Promise<ErrorGroup[]>
  /** Sets new limits. */
  limit(limits: Limits): void
  /** Writes all runs that have ended so far. */
  flush(): Promise<void>
  /** Writes pending runs and closes the files. */
  close(): Promise<void>
}

/** Loads the data of recorders. Call `summary` and `toRun` only after the promise has resolved. */
export async function loadRecorders(recorders: readonly RunRecorder[]): Promise<void> {
  const asking = recorders.map((recorder) => recorder.load()).filter((one) => one !== null)
  if (asking.length > 0) await Promise.all(asking)
}
