import type { ErrorGroup, RunFilter, RunList } from '../api.ts'
import type { Run, RunSummary } from '../run.ts'
import type { Limits } from './retention.ts'

/** A run that is being recorded. `summary` and `toRun` are computed on each call. */
export interface RunRecorder {
  readonly id: string
  readonly isEnded: boolean
  /** Reads the user before `summary` or `toRun` is called; returns null if already known. Never rejects. */
  loadIdentity(): Promise<void> | null
  summary(): RunSummary
  toRun(): Run
  /** Frees its memory, after the run was written or dropped. */
  release(): void
}

/** Options for `openRunStore`. */
export interface RunStoreOptions extends Partial<Limits> {
  /** `.sdk/workbench` of a project; created on the first write. */
  readonly folder: string
  /** Called when a file cannot be read or written. @default not called */
  readonly onWarning?: (message: string) => void
}

/** The runs of a project: those on disk, and those still running. */
export interface RunStore {
  /** Adds a run that started. It is listed immediately and written soon. */
  add(recorder: RunRecorder): void
  /** Called when a run has changed or ended. An ended run is written soon, and then freed. */
  update(recorder: RunRecorder): void
  /** Returns a page of runs, newest first. */
  list(filter?: RunFilter): Promise<RunList>
  /** Returns a run, or null if not found. */
  read(id: string): Promise<Run | null>
  /** Pins a run, so that it is never dropped, or unpins it; returns null if not found. */
  pin(id: string, isPinned: boolean): Promise<RunSummary | null>
  /** Deletes all runs that have ended and are not pinned; returns their number. */
  clear(): Promise<number>
  errors(): Promise<ErrorGroup[]>
  /** Sets new limits. */
  limit(limits: Limits): void
  /** Resolves when all runs that have ended so far are written. */
  flush(): Promise<void>
  /** Writes pending runs and closes the files. */
  close(): Promise<void>
}

/** Loads the users of runs. `summary` and `toRun` can be called when it resolves. */
export async function loadIdentities(recorders: readonly RunRecorder[]): Promise<void> {
  const asking = recorders.map((recorder) => recorder.loadIdentity()).filter((one) => one !== null)
  if (asking.length > 0) await Promise.all(asking)
}
