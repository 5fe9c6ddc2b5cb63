import type { RunStatus } from '@sdk/protocol'

/**
 * The interface between the runner and the storage of runs. Processes with the same store form one service: each run is
 * executed by one of them, and the others continue it if that process ends. All times are those of the store.
 *
 * A run belongs to a process and an epoch, which counts its executions. Every write names both and has no effect if the
 * run belongs to another process or epoch in the meantime. A takeover is atomic: no write of the previous process can
 * become visible after it.
 */
export interface RunStore {
  /** Resolves when the store can be used. Creates missing tables. */
  ready(): Promise<void>
  /**
   * Adds a process, whose runs others then leave to it. `onNews` is called when another process has changed a run, with
   * its id, or with null if runs are queued or news may have been missed.
   */
  join(process: string, onNews: (run: string | null) => void): Promise<void>
  /** Renews the lease of a process. Returns the ids of the unfinished runs that belong to it. */
  renew(process: string): Promise<ReadonlySet<string>>
  /** Removes a process. Others take over the runs that it has not released. */
  leave(process: string): Promise<void>
  /** Creates a run, or finds the run that its key or its thread already has. */
  create(run: NewRun): Promise<CreatedRun>
  /**
   * Takes over up to `limit` runs of these agents that are queued or belong to a process that no longer exists. Atomically
   * increments the epoch, deletes the chunks after the last finished step and records the retraction. A run that has
   * crashed too often fails instead, and is also returned.
   */
  claim(process: string, claim: { readonly agents: readonly string[]; readonly limit: number }): Promise<ClaimedRun[]>
  /** Stores chunks, steps and ends of runs. Returns whether each run still belonged to the process and epoch. */
  write(process: string, writes: readonly RunWrite[]): Promise<readonly boolean[]>
  /** Starts a new epoch that keeps this number of chunks. Returns it, or null if the run belongs to another process. */
  retract(process: string, run: Pick<RunWrite, 'id' | 'epoch'> & { readonly keep: number }): Promise<number | null>
  /** Queues the runs of a process, for others to continue. */
  release(process: string, ids: readonly string[]): Promise<void>
  /** Cancels a run. Returns false if it has already ended. */
  cancel(id: string, process: string): Promise<boolean>
  /** Returns a run, or null if it does not exist. */
  get(id: string): Promise<StoredRun | null>
  /** Returns a run with the pages that contain the chunks from an index on, in order. There may be more pages. */
  read(id: string, from: number): Promise<RunChunks | null>
  /** Returns the names of a run's finished steps, each with the number of chunks before its end. */
  steps(id: string): Promise<ReadonlyMap<string, number>>
  /** Returns the value of a finished step as JSON, or null if it has none. */
  stepValue(id: string, name: string): Promise<string | null>
  /** Returns runs of a user, newest first. */
  list(query: RunQuery): Promise<StoredRun[]>
  /**
   * Deletes what has expired: first the chunks, steps and values of ended runs, and a month later the runs. Returns the
   * agents of unfinished runs that are not in the list.
   */
  sweep(agents: readonly string[]): Promise<string[]>
  /** Deletes all runs of a user. */
  deleteUser(userId: string): Promise<void>
  /** Returns whether the caller is inside a transaction of the same database, where steps are not allowed. */
  isInTransaction?(): boolean
  close(): Promise<void>
}

/** A run to create. */
export interface NewRun {
  readonly id: string
  readonly agent: string
  /** The owner, or null if the caller is not signed in. */
  readonly userId: string | null
  /** The key by which unfinished runs are counted: a user or an address. */
  readonly caller: string
  /** The key that at most one run of the user and agent has, or null. */
  readonly key: string | null
  /** A hash of the input. Another input with the same key is an error. */
  readonly print: string
  /** The thread, in which at most one run is unfinished, or null. */
  readonly thread: string | null
  /** The input as JSON, or null if there is none. */
  readonly input: string | null
  readonly address: string
  /** The `traceparent` of the request, or null. */
  readonly trace: string | null
  readonly isStream: boolean
  /** The time for which the run is kept after its end, in seconds. */
  readonly keepFor: number
  /** The process that executes the run from now on, with epoch 1. If it is null, the run is queued. */
  readonly process: string | null
}

/** The result of `create`. */
export interface CreatedRun {
  /**
   * Whether the run is new, already existed under its key, existed under its key with another input, could not be
   * created because its thread has an unfinished run, or because the caller has too many unfinished runs.
   */
  readonly outcome: 'created' | 'joined' | 'reused' | 'busy' | 'full'
  /** The id of the new run, or of the run that already exists. */
  readonly id: string
}

/** A run that a process has taken over. */
export interface ClaimedRun extends Pick<NewRun, 'id' | 'agent' | 'userId' | 'input' | 'address' | 'trace'> {
  readonly epoch: number
  /** The number of chunks that are kept. */
  readonly kept: number
  /** The size of the kept chunks. */
  readonly size: number
  /** Whether the run failed because it has crashed too often. */
  readonly hasFailed: boolean
}

/** A write to one run. All of it is stored, or nothing. */
export interface RunWrite {
  readonly id: string
  readonly epoch: number
  /** The index of the first chunk. */
  readonly first: number
  /** The chunks as JSON, at most `MAX_PAGE_CHUNKS`. */
  readonly chunks: readonly string[]
  /** The steps that have finished. */
  readonly steps: readonly FinishedStep[]
  /** The end of the run, or null if it continues. */
  readonly end: RunEnd | null
}

/** A finished step. */
export interface FinishedStep {
  readonly name: string
  /** The value as JSON, or null if there is none. */
  readonly value: string | null
  /** The number of chunks before the end of the step. */
  readonly chunks: number
}

/** The end of a run. */
export interface RunEnd {
  readonly status: Extract<RunStatus, 'done' | 'failed' | 'cancelled'>
  /** The result as JSON, or null. */
  readonly output: string | null
  /** The error as JSON, or null. */
  readonly error: string | null
}

/** A stored run. */
export interface StoredRun extends Pick<NewRun, 'id' | 'agent' | 'userId' | 'thread' | 'isStream'> {
  readonly status: RunStatus
  readonly epoch: number
  /** The number of chunks. */
  readonly chunks: number
  /** The epochs that began with a retraction, each with the number of chunks that it kept. */
  readonly retractions: readonly (readonly [epoch: number, keep: number])[]
  readonly output: string | null
  readonly error: string | null
  /** ISO 8601. */
  readonly createdAt: string
  readonly endedAt: string | null
  /** Whether the run's chunks, steps and values are deleted. */
  readonly isGone: boolean
}

/** A page of chunks, which were stored together. */
export interface RunPage {
  readonly epoch: number
  /** The index of the first chunk. */
  readonly first: number
  /** The chunks as JSON. */
  readonly chunks: readonly string[]
}

/** A run with some of its pages. Pages of earlier epochs may contain chunks that were retracted. */
export interface RunChunks {
  readonly run: StoredRun
  readonly pages: readonly RunPage[]
}

/** A query for the runs of a user. */
export interface RunQuery {
  readonly agent: string
  readonly userId: string
  readonly thread: string | null
  readonly limit: number
  /** The last run of the previous page, or null for the first page. */
  readonly after: Pick<StoredRun, 'createdAt' | 'id'> | null
}
