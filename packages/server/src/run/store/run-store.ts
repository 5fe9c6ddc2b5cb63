import type { RunStatus, RunWaiting } from '@sdk/protocol'
import type { ScheduleStore } from './schedule-store.ts'
import type { StepTrace } from '../step/step-traces.ts'
import type { ThreadStore } from './thread-store.ts'

/**
 * The interface between the runner and the storage of runs. Processes with the same store form one service: each run is
 * executed by one of them, and another one continues it if that process ends. All times come from the store's clock.
 *
 * A run belongs to a process and an epoch, which counts its executions. Every write specifies both and has no effect if
 * either has changed in the meantime. A takeover is atomic: no write by the previous process can become visible after
 * it.
 */
export interface RunStore {
  /** The last ticks of schedules. */
  readonly schedules: ScheduleStore
  /** The threads and their states. */
  readonly threads: ThreadStore
  /** Creates missing tables. Resolves when the store can be used. */
  ready(): Promise<void>
  /**
   * Registers a process, so that others do not take over its runs. `onNews` is called with the id of a run that another
   * process has changed, with `*` if runs were queued, or with null if changes may have been missed.
   */
  join(process: string, onNews: (run: string | null) => void): Promise<void>
  /** Returns the time of the store's clock, in ms since the Unix epoch. */
  now(): Promise<number>
  /** Waits on behalf of a run that stays in memory. @default a timer of the process */
  delay?(run: string, ms: number): Promise<void>
  /** Renews the lease of a process. Returns the ids of the unfinished runs that belong to it. */
  renew(process: string): Promise<ReadonlySet<string>>
  /** Removes a process. Others take over the runs that it has not released. */
  leave(process: string): Promise<void>
  /** Creates a run, or finds the existing run with the same key or in the same thread. Notifies processes if it is queued. */
  create(run: NewRun): Promise<CreatedRun>
  /**
   * Takes over up to `limit` runs of these agents: first those that belong to a process that no longer exists, and then
   * those that have been queued, or due after a pause, for the longest time.
   * Atomically increments the epoch, deletes the chunks after the last finished step and records the retraction. A run
   * that has crashed too often fails instead, and is also returned. Of the runs that have crashed `SUSPECT_CRASHES` times,
   * or once more, only as many are taken over as `suspects` allows.
   */
  claim(process: string, claim: RunClaim): Promise<ClaimedRun[]>
  /**
   * Stores chunks, steps and outcomes. Returns for each run whether it still belonged to the process and epoch. Rejects
   * with a `RangeError`, and stores nothing, if the data itself cannot be stored. All other errors are temporary.
   */
  write(process: string, writes: readonly RunWrite[]): Promise<readonly boolean[]>
  /**
   * Starts a new epoch that keeps the first `keep` chunks. Returns the epoch, or null if the run belongs to another
   * process. A repeated call has no further effect and returns the same epoch.
   */
  retract(process: string, run: Pick<RunWrite, 'id' | 'epoch'> & { readonly keep: number }): Promise<number | null>
  /** Queues these runs of a process, so that other processes can continue them. */
  release(process: string, ids: readonly string[]): Promise<void>
  /** Cancels a run. Returns false if it has already ended. */
  cancel(id: string, process: string): Promise<boolean>
  /**
   * Stores an event, and makes a run that waits for it due. Of all events with one key, including the end of the wait's
   * timeout, only the first is stored.
   */
  send(event: SentEvent, process: string): Promise<SendOutcome>
  /** Returns all events that were sent to a run, by key. */
  events(run: string): Promise<ReadonlyMap<string, StoredValue>>
  /** Returns an event that was sent to a run, or null. */
  event(run: string, key: string): Promise<Pick<SentEvent, 'value'> | null>
  /** Returns a run, or null if it does not exist. */
  get(id: string): Promise<StoredRun | null>
  /** Returns a run with the pages that contain its chunks from an index onward, in order. May omit later pages. */
  read(id: string, from: number): Promise<RunChunks | null>
  /** Returns a run's finished steps by name, in the order in which they were stored. */
  steps(id: string): Promise<ReadonlyMap<string, StoredStep>>
  /** Returns the value of a finished step as JSON, or null if it has none. */
  stepValue(id: string, name: string): Promise<string | null>
  /** Returns runs of a user, or runs that wait for an event, newest first. May return fewer after `RUN_LIMITS.list`. */
  list(query: RunQuery): Promise<StoredRun[]>
  /**
   * Deletes expired data: first the chunks, steps and values of ended runs, and a month later the runs themselves, and
   * threads that were not used for 90 days.
   * Returns the agents that have unfinished runs but are not in the list.
   */
  sweep(agents: readonly string[]): Promise<string[]>
  /** Cancels and deletes all runs and threads of a user. */
  deleteUser(userId: string): Promise<void>
  /** Returns whether the caller is inside a transaction on the same database, where steps are not allowed. */
  isInTransaction?(): boolean
  /**
   * Creates a queued run as part of the caller's transaction. With `isReplacing`, also cancels the unfinished run of its
   * thread. Processes are notified after the commit. The run may be created together with the commit, which then fails
   * if the caller has too many unfinished runs. Throws a `TypeError` if the transaction is in another database. Stores
   * without a database omit this method.
   */
  createInTransaction?(run: NewRun, options?: { readonly isReplacing: boolean }): Promise<CreatedRun>
  /**
   * Stores a finished step as part of the caller's transaction, which must be rolled back unless the result is `stored`.
   * Until it ends, the run cannot be taken over. Required with `createInTransaction`.
   */
  finishInTransaction?(
    process: string,
    step: Pick<RunWrite, 'id' | 'epoch'> & { readonly step: FinishedStep },
  ): Promise<TransactionStepOutcome>
  close(): Promise<void>
}

/** A run to create. */
export interface NewRun {
  readonly id: string
  readonly agent: string
  /** The owner, or null if the caller is not signed in. */
  readonly userId: string | null
  /** The key by which unfinished runs are counted: a user or an address. Null if the app itself starts the run. */
  readonly caller: string | null
  /** The key, or null. It is unique per user and agent, or per agent alone if it begins with `START_KEY_PREFIX`. */
  readonly key: string | null
  /** A hash of the input. A key cannot be reused with a different input. */
  readonly print: string
  /** The thread, in which one run is executed at a time, or null. */
  readonly thread: string | null
  /**
   * Whether the run waits in the queue until all earlier runs of its thread have ended. `process` must be null.
   * @default false: a thread can have only one unfinished run
   */
  readonly isInTurn?: boolean | undefined
  /** The input as JSON, or null if there is none. */
  readonly input: string | null
  readonly address: string
  /** The `traceparent` of the request, or null. */
  readonly trace: string | null
  readonly isStream: boolean
  /** How long the run is kept after it ends, in seconds. */
  readonly keepFor: number
  /** The process that will execute the run, as epoch 1, or null to queue the run. */
  readonly process: string | null
  /** The time before which a queued run is not executed, in ISO 8601 format. @default immediately */
  readonly dueAt?: string | undefined
}

/** The result of `create`. */
export interface CreatedRun {
  /**
   * The outcome: `created` if the run is new, `joined` if a run with its key exists, `reused` if that run has a
   * different input, `busy` if the thread has an unfinished run, or `full` if the caller has too many unfinished runs.
   */
  readonly outcome: 'created' | 'joined' | 'reused' | 'busy' | 'full'
  /** The id of the new run, or of the run that already exists. */
  readonly id: string
}

/** The runs that a process is free to take over. */
export interface RunClaim {
  readonly agents: readonly string[]
  readonly limit: number
  /** @default as many as `limit` */
  readonly suspects?: readonly [crashed: number, crashedAgain: number]
}

/** A run that a process has taken over. */
export interface ClaimedRun extends Pick<
  NewRun,
  'id' | 'agent' | 'userId' | 'key' | 'thread' | 'input' | 'address' | 'trace'
> {
  readonly epoch: number
  /** The number of chunks that are kept. */
  readonly kept: number
  /** The size of the kept chunks. */
  readonly size: number
  /** The number of takeovers since the last finished step. */
  readonly crashes: number
  /** Whether the run failed because it crashed too often. */
  readonly hasFailed: boolean
}

/** A write to one run. It is stored entirely or not at all. */
export interface RunWrite {
  readonly id: string
  readonly epoch: number
  /** The index of the first chunk. */
  readonly first: number
  /** The chunks as JSON, at most `MAX_PAGE_CHUNKS`. */
  readonly chunks: readonly string[]
  /** The steps that have finished. */
  readonly steps: readonly FinishedStep[]
  /** The outcome of the run, or its pause, or null if it continues in this process. */
  readonly end: RunEnd | RunPause | null
}

/** A finished step. */
export interface FinishedStep {
  readonly name: string
  /** The value as JSON, or null if there is none. */
  readonly value: string | null
  /** The number of chunks before the end of the step. */
  readonly chunks: number
  /** How the step ran, for development tools. */
  readonly trace?: StepTrace | undefined
}

/**
 * The outcome of `finishInTransaction`: `stored`, `known` if the step has already been stored by an earlier transaction,
 * or `lost` if the run no longer belongs to the process and epoch.
 */
export type TransactionStepOutcome = 'stored' | 'known' | 'lost'

/** A value as JSON, or null if there is none. If it is longer than `INLINE_SIZE`, it is undefined and read separately. */
export interface StoredValue {
  readonly value: string | null | undefined
}

/** A finished step that is stored. */
export interface StoredStep extends StoredValue {
  /** The number of chunks before the end of the step. */
  readonly chunks: number
}

/** The outcome of a run. */
export interface RunEnd {
  readonly status: Extract<RunStatus, 'done' | 'failed' | 'cancelled'>
  /** The result as JSON, or null. */
  readonly output: string | null
  /** The error as JSON, or null. */
  readonly error: string | null
  /** The new state of the run's thread as JSON. @default the state does not change */
  readonly state?: string | undefined
}

/** A pause of a run. The run belongs to no process until it is due. */
export interface RunPause {
  readonly status: Extract<RunStatus, 'waiting'>
  /** The time at which the run continues in ISO 8601 format, or null if only an event continues it. */
  readonly dueAt: string | null
  /** The event or time that is shown to callers. */
  readonly waiting: RunWaiting
  /** The keys of the events that continue the run. If one of them has already been sent, the run is due at once. */
  readonly events: readonly string[]
}

/** An event for a run. */
export interface SentEvent {
  readonly run: string
  /** The name of the event and, after a space, the id of the wait if it has one. */
  readonly key: string
  /** The value as JSON, or null if the wait has timed out. */
  readonly value: string | null
  /** A hash of the value. */
  readonly print: string
}

/**
 * The outcome of `send`: `sent`, `joined` if the same value was sent before, `reused` if it was another value, `ended`
 * if the run has ended, or `full` if the run has too many events. The end of a timeout is always stored.
 */
export type SendOutcome = 'sent' | 'joined' | 'reused' | 'ended' | 'full'

/** A stored run. */
export interface StoredRun extends Pick<NewRun, 'id' | 'agent' | 'userId' | 'thread' | 'isStream'> {
  readonly status: RunStatus
  readonly epoch: number
  /** The number of chunks. */
  readonly chunks: number
  /** The epochs that began with a retraction, each with the number of chunks that it kept. */
  readonly retractions: readonly (readonly [epoch: number, keep: number])[]
  /** The input of a run with the status `queued` as JSON; otherwise null. */
  readonly input: string | null
  readonly output: string | null
  readonly error: string | null
  /** The `RunWaiting` of a run with the status `waiting` as JSON; otherwise null. */
  readonly waiting: string | null
  /** The creation time in ISO 8601 format. */
  readonly createdAt: string
  readonly endedAt: string | null
  /** Whether the run's chunks, steps and values have been deleted. */
  readonly isGone: boolean
}

/** A page of chunks that were stored together. */
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

/** A query for runs. */
export interface RunQuery {
  readonly agent: string
  /** The user, or the name of an event for the runs of all users that wait for it. */
  readonly of: { readonly userId: string } | { readonly waiting: string }
  readonly thread: string | null
  readonly limit: number
  /** The last run of the previous page, or null for the first page. */
  readonly after: Pick<StoredRun, 'createdAt' | 'id'> | null
}
