/** A thread: the runs of one conversation between a user and an agent. */
export interface ThreadRef {
  readonly agent: string
  readonly userId: string
  readonly thread: string
}

/** A stored thread. */
export interface StoredThread {
  readonly thread: string
  /** The state as JSON, or null if none is stored. */
  readonly state: string | null
  /** The time of the last start or successful end of a run, in ISO 8601 format. */
  readonly usedAt: string
}

/** A query for the threads of a user. */
export interface ThreadQuery extends Omit<ThreadRef, 'thread'> {
  readonly limit: number
  /** The last thread of the previous page, or null for the first page. */
  readonly after: Pick<StoredThread, 'thread' | 'usedAt'> | null
}

/**
 * The part of a run store that contains threads. `create` adds the thread of a run. The end of a run stores the state of
 * its thread atomically.
 */
export interface ThreadStore {
  /** Returns a thread, or null if it does not exist. */
  get(ref: ThreadRef): Promise<StoredThread | null>
  /** Returns the threads of a user without their state, last used first. */
  list(query: ThreadQuery): Promise<StoredThread[]>
  /** Cancels the unfinished runs of a thread. Returns their ids. */
  cancel(ref: ThreadRef, process: string): Promise<string[]>
  /** Deletes a thread with its state and its ended runs. */
  delete(ref: ThreadRef): Promise<void>
}

/** How long an unused thread is kept, in ms. */
export const THREAD_TTL_MS: number = 90 * 86_400_000
