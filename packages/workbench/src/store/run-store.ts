import type { ErrorGroup, RunFilter, RunList } from '../api.ts'
import type { Run, RunSummary } from '../run.ts'
import type { Limits } from './retention.ts'

/** A run that is being recorded: it is put in words when somebody asks, or when it is written. */
export interface RunDraft {
  readonly id: string
  readonly isEnded: boolean
  /** Asks for what it says of others, before it is put in words; null where all is known. Never rejects. */
  ask(): Promise<void> | null
  summary(): RunSummary
  toRun(): Run
  /** It is written, or nobody wants it: what it holds may go. */
  letGo(): void
}

/** What `openRunStore` takes. */
export interface RunStoreOptions {
  /** `.sdk/workbench` of a project; it is made where it is not there. */
  readonly folder: string
  /** Runs that are kept beside the pinned ones. @default 500 */
  readonly maxRuns?: number
  /** Bytes that are kept on disk. @default 200 000 000 */
  readonly maxBytes?: number
  /** Told what was wrong with the files. @default nobody */
  readonly onFault?: (fault: string) => void
}

/** The runs of a project: on disk, and those that go on. */
export interface RunStore {
  /** Takes a run that began; it is shown at once, and written soon. */
  add(draft: RunDraft): void
  /** A run has changed or ended; one that ended is written soon, and let go. */
  update(draft: RunDraft): void
  /** The newest first. */
  list(filter?: RunFilter): Promise<RunList>
  /** Null where there is no such run. */
  read(id: string): Promise<Run | null>
  /** Keeps a run for good, or no longer; null where there is no such run. */
  pin(id: string, isPinned: boolean): Promise<RunSummary | null>
  /** Deletes all that is over and not pinned; gives how many. */
  clear(): Promise<number>
  errors(): Promise<ErrorGroup[]>
  /** Keeps so much from now on. */
  limit(limits: Limits): void
  /** Settles when all that has ended so far is written. */
  flush(): Promise<void>
  /** Writes what is left, and lets go of the files. */
  close(): Promise<void>
}
