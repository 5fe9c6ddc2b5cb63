import { THREAD_TTL_MS, type StoredThread, type ThreadQuery, type ThreadRef, type ThreadStore } from './thread-store.ts'

interface MemoryThread extends ThreadRef {
  readonly state: string | null
  readonly usedAt: number
}

/** The thread of a run, if it has one. */
type OptionalRef = { readonly [Key in keyof ThreadRef]: string | null }

/** A run to which a thread may belong. */
interface ThreadRun extends OptionalRef {
  readonly id: string
  readonly endedAt: number | null
}

/** The dependencies of the threads in memory. */
interface MemoryThreadsOptions {
  readonly now: () => number
  /** The runs of the store, oldest first. */
  readonly runs: Map<string, ThreadRun>
  cancel(id: string, process: string): Promise<unknown>
}

/** The threads of a memory store. */
export class MemoryThreads implements ThreadStore {
  readonly #threads = new Map<string, MemoryThread>()
  readonly #options: MemoryThreadsOptions

  constructor(options: MemoryThreadsOptions) {
    this.#options = options
  }

  async get(ref: ThreadRef): Promise<StoredThread | null> {
    const found = this.#threads.get(keyOf(ref))
    return found === undefined ? null : toStored(found)
  }

  async list({ agent, userId, limit, after }: ThreadQuery): Promise<StoredThread[]> {
    const own = [...this.#threads.values()].filter((one) => one.agent === agent && one.userId === userId)
    const sorted = own.map((one) => ({ ...toStored(one), state: null })).toSorted(compareThreads)
    return sorted.filter((one) => after === null || compareThreads(one, after) > 0).slice(0, limit)
  }

  async cancel(ref: ThreadRef, process: string): Promise<string[]> {
    const ids = this.#unfinished(ref).map(({ id }) => id)
    for (const id of ids) await this.#options.cancel(id, process)
    return ids
  }

  async delete(ref: ThreadRef): Promise<void> {
    const { runs } = this.#options
    for (const run of runs.values()) if (keyOf(run) === keyOf(ref) && run.endedAt !== null) runs.delete(run.id)
    this.#threads.delete(keyOf(ref))
  }

  /** Adds the thread of a run, or updates when it was last used. `state` replaces its state unless it is undefined. */
  use({ agent, userId, thread }: OptionalRef, state?: string): void {
    if (agent === null || userId === null || thread === null) return
    const ref = { agent, userId, thread }
    const known = this.#threads.get(keyOf(ref))
    this.#threads.set(keyOf(ref), { ...ref, state: state ?? known?.state ?? null, usedAt: this.#options.now() })
  }

  /** Returns whether all earlier runs of a run's thread have ended. */
  isFirst(run: ThreadRun): boolean {
    return run.thread === null || this.#unfinished(run)[0]?.id === run.id
  }

  /** Deletes the threads of a user. */
  deleteUser(userId: string): void {
    for (const [key, thread] of this.#threads) if (thread.userId === userId) this.#threads.delete(key)
  }

  /** Deletes the threads that were not used for a long time. */
  sweep(): void {
    const before = this.#options.now() - THREAD_TTL_MS
    for (const [key, thread] of this.#threads)
      if (thread.usedAt < before && this.#unfinished(thread).length === 0) this.#threads.delete(key)
  }

  #unfinished(ref: OptionalRef): ThreadRun[] {
    return [...this.#options.runs.values()].filter((run) => run.endedAt === null && keyOf(run) === keyOf(ref))
  }
}

function keyOf({ agent, userId, thread }: OptionalRef): string {
  return JSON.stringify([agent, userId, thread])
}

function toStored({ thread, state, usedAt }: MemoryThread): StoredThread {
  return { thread, state, usedAt: new Date(usedAt).toISOString() }
}

function compareThreads(a: Pick<StoredThread, 'usedAt' | 'thread'>, b: typeof a): number {
  if (a.usedAt === b.usedAt) return a.thread < b.thread ? 1 : a.thread > b.thread ? -1 : 0
  return a.usedAt < b.usedAt ? 1 : -1
}
