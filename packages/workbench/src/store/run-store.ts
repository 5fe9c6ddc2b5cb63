import type { ErrorGroup, RunFilter, RunList } from '../api.ts'
import type { Run, RunSummary } from '../run.ts'
import type { Limits } from './retention.ts'

/** A run that is being recorded. `summary` and `toRun` are made only when they are called. */
export interface RunRecorder {
  readonly id: string
  readonly isEnded: boolean
  /** Reads the user, before `summary` or `toRun` is called; null where it is known. Never rejects. */
  loadIdentity(): Promise<void> | null
  summary(): RunSummary
  toRun(): Run
  /** Frees what it holds: it is written, or dropped. */
  release(): void
}

/** Options of `openRunStore`. */
export interface RunStoreOptions extends Partial<Limits> {
  /** `.sdk/workbench` of a project; created on the first write. */
  readonly folder: string
  /** Called when a file cannot be read or written. @default not called */
  readonly onWarning?: (message: string) => void
}

/** The runs of a project: those on disk, and those that go on. */
export interface RunStore {
  /** Adds a run that began; it is listed at once, and written soon. */
  add(recorder: RunRecorder): void
  /** A run has changed or ended. One that ended is written soon, and then freed. */
  update(recorder: RunRecorder): void
  /** The newest first. */
  list(filter?: RunFilter): Promise<RunList>
  /** Null where there is no such run. */
  read(id: string): Promise<Run | null>
  /** Pins a run, so that it is never dropped, or unpins it; null where there is no such run. */
  pin(id: string, isPinned: boolean): Promise<RunSummary | null>
  /** Deletes all runs that have ended and are not pinned; gives how many. */
  clear(): Promise<number>
  errors(): Promise<ErrorGroup[]>
  /** Sets the limits from now on. */
  limit(limits: Limits): void
  /** Settles when all that has ended so far is written. */
  flush(): Promise<void>
  /** Writes what is not written yet, and closes the files. */
  close(): Promise<void>
}

/** Resolves when all that these runs need is known: `summary` and `toRun` can be called then. */
export async function loadIdentities(recorders: readonly RunRecorder[]): Promise<void> {
  const asking = recorders.map((recorder) => recorder.loadIdentity()).filter((one) => one !== null)
  if (asking.length > 0) await Promise.all(asking)
}
