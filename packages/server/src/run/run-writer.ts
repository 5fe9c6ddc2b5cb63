import type { Log } from '../log/log.ts'
import { errorFields } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import { unref } from '../platform/unref-timer.ts'
import type { ActiveRun } from './active-run.ts'
import type { RunStore, RunWrite } from './run-store.ts'

/** The maximum number of runs per statement. */
const MAX_RUNS_PER_WRITE = 100

const MAX_RETRY_MS = 5_000

interface RunWriterDependencies {
  readonly store: Pick<RunStore, 'write'>
  readonly process: string
  readonly log: Log
  /** Called when a write is stored, before its run continues. */
  onStored(write: RunWrite): void
  /** Called when a run no longer belongs to the process. It may have ended with a write whose response was lost. */
  onRejected(id: string): void
}

/**
 * A writer that stores the chunks and steps of all runs in a process. While a write is in progress, further writes are
 * combined into one statement. If the store fails, the same write is repeated until it succeeds, since the store
 * ignores data that it already has.
 */
export class RunWriter {
  readonly #dependencies: RunWriterDependencies
  readonly #failures: Log
  readonly #pending = new Set<ActiveRun>()
  #isWorking = false
  #isClosed = false

  constructor(dependencies: RunWriterDependencies) {
    this.#dependencies = dependencies
    this.#failures = throttleLog(dependencies.log)
  }

  readonly add = (run: ActiveRun): void => {
    this.#pending.add(run)
    if (!this.#isWorking) void this.#work()
  }

  /** Stops retrying failed writes. */
  close(): void {
    this.#isClosed = true
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    await Promise.resolve() // chunks from the same tick form a batch
    while (this.#pending.size > 0) {
      const runs = [...this.#pending].slice(0, MAX_RUNS_PER_WRITE)
      for (const run of runs) this.#pending.delete(run)
      const active = runs.filter((run) => run.hasPending())
      if (active.length === 0) continue
      const writes = active.map((run) => run.take())
      const owned = await this.#write(writes)
      for (const [index, write] of writes.entries()) this.#settle(active[index] as ActiveRun, write, owned[index])
    }
    this.#isWorking = false
  }

  #settle(run: ActiveRun, write: RunWrite, isOwned = false): void {
    if (!isOwned) {
      this.#dependencies.onRejected(run.id)
      return run.stop('the run was cancelled or continues in another process')
    }
    this.#dependencies.onStored(write)
    run.onStored(write)
    if (run.hasPending()) this.#pending.add(run)
  }

  async #write(writes: readonly RunWrite[]): Promise<readonly boolean[]> {
    const { store, process } = this.#dependencies
    for (let failures = 0; ; failures++) {
      try {
        return await store.write(process, writes)
      } catch (error) {
        if (this.#isClosed) return []
        this.#failures.warn('could not store runs; retrying', errorFields(error))
        await delay(Math.min(MAX_RETRY_MS, 50 * 2 ** failures))
      }
    }
  }
}

/** Waits for `ms` milliseconds. The timer does not keep the process alive. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => unref(setTimeout(resolve, ms)))
}
