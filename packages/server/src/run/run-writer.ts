import type { Log } from '../log/log.ts'
import { errorFields } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import { unref } from '../platform/unref-timer.ts'
import type { ActiveRun } from './active-run.ts'
import type { RunStore, RunWrite } from './store/run-store.ts'

/** The maximum number of runs per statement. A notification contains their ids, and has at most 8,000 bytes. */
const MAX_RUNS_PER_WRITE = 200

/** The size of a statement's data at which further runs have to wait for the next statement. */
const MAX_WRITE_SIZE = 4_194_304

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
 * ignores data that it already has. If the store rejects the data of a run, only that run fails.
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
      const batch = this.#takeBatch()
      const writes = batch.map(({ write }) => write)
      const results = writes.length === 0 ? [] : await this.#write(writes)
      for (const [index, { run, write }] of batch.entries()) this.#settle(run, write, results[index])
      // The resumed runs join the next write. Otherwise, two groups of runs would take turns.
      if (writes.length > 0) await new Promise((resolve) => setImmediate(resolve))
    }
    this.#isWorking = false
  }

  #takeBatch(): { readonly run: ActiveRun; readonly write: RunWrite }[] {
    const batch: { readonly run: ActiveRun; readonly write: RunWrite }[] = []
    let size = 0
    for (const run of this.#pending) {
      if (batch.length === MAX_RUNS_PER_WRITE || size >= MAX_WRITE_SIZE) break
      this.#pending.delete(run)
      if (!run.hasPending()) continue
      const write = run.take()
      size += sizeOf(write)
      batch.push({ run, write })
    }
    return batch
  }

  #settle(run: ActiveRun, write: RunWrite, result: WriteResult = false): void {
    if (result instanceof RangeError) {
      this.#dependencies.log.error('the store rejected the data of a run', { run: run.id, ...errorFields(result) })
      return run.refuse()
    }
    if (!result) {
      this.#dependencies.onRejected(run.id)
      return run.stop('the run was cancelled or continues in another process')
    }
    this.#dependencies.onStored(write)
    run.onStored(write)
    if (run.hasPending()) this.#pending.add(run)
  }

  async #write(writes: readonly RunWrite[]): Promise<readonly WriteResult[]> {
    const { store, process } = this.#dependencies
    for (let failures = 0; ; failures++) {
      try {
        return await store.write(process, writes)
      } catch (error) {
        if (this.#isClosed) return []
        if (error instanceof RangeError) return writes.length === 1 ? [error] : this.#writeEach(writes)
        this.#failures.warn('could not store runs; retrying', errorFields(error))
        await delay(Math.min(MAX_RETRY_MS, 50 * 2 ** failures))
      }
    }
  }

  async #writeEach(writes: readonly RunWrite[]): Promise<readonly WriteResult[]> {
    const results: WriteResult[] = []
    for (const write of writes) results.push(...(await this.#write([write])))
    return results
  }
}

/** The result of a write: whether the run belongs to the process, or the error of a store that rejects its data. */
type WriteResult = boolean | RangeError

function sizeOf({ chunks, steps, end }: RunWrite): number {
  const ends = end?.status === 'waiting' ? [] : [end?.output, end?.error]
  const texts = [...chunks, ...steps.map(({ value }) => value), ...ends]
  return texts.reduce((size, text) => size + (text?.length ?? 0), 0)
}

/** Repeats `work` until the store is available. Returns undefined if `isCurrent` returns false first. */
export async function untilAvailable<T>(
  work: () => Promise<T>,
  isCurrent: () => boolean,
  onFailure?: (error: unknown) => void,
): Promise<T | undefined> {
  for (let failures = 0; isCurrent(); failures++) {
    try {
      return await work()
    } catch (error) {
      onFailure?.(error)
      await delay(Math.min(MAX_RETRY_MS, 100 * 2 ** failures))
    }
  }
  return undefined
}

/** Waits for `ms` milliseconds. The timer does not keep the process alive. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => unref(setTimeout(resolve, ms)))
}
