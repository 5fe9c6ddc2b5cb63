import { createDebouncer } from './debouncer.ts'
import type { ErrorGroup, RunFilter, RunList } from '../api.ts'
import { toSummary, type Run, type RunSummary } from '../run.ts'
import { loadRecorders, type RunRecorder, type RunStore, type RunStoreOptions } from './run-store.ts'
import { groupErrors, type RunOutcome } from './error-groups.ts'
import { appendRuns, clearRuns, dropSurplus, forgetDeleted, retain, type Limits } from './retention.ts'
import { RunIndex } from './run-index.ts'
import { listRuns } from './run-list.ts'
import { SegmentFiles } from './segments.ts'

const REWRITE_MS = 5_000

/**
 * How long a write may block the app, in ms. Each write is followed by a pause that is `PAUSE_FACTOR` times as long, so
 * that a busy app is not slowed down. The newest runs are written first.
 */
const MAX_WRITE_MS = 12
const PAUSE_FACTOR = 40

/** The number of runs that are written without a pause, so that occasional calls are saved immediately. */
const NO_PAUSE_RUNS = 10

/** The number of runs to serialize before yielding to the event loop. */
const WRITE_BATCH = 10

/** The number of new runs to classify as ended or open per batch. Classifying them one by one would be slower. */
const SORT_BATCH = 100

/** Opens the store for a project's runs, which are saved to files in a folder. */
export function openRunStore(options: RunStoreOptions): RunStore {
  return new FileRunStore(options)
}

class FileRunStore implements RunStore {
  readonly #index = new RunIndex()
  readonly #segments: SegmentFiles
  readonly #onWarning: (message: string) => void
  readonly #debouncer = createDebouncer(() => this.#writeSoon(), { waitMs: 10, maxWaitMs: 250 })
  /** Runs that started since the last `#sortFresh` call. In a busy app, most of them end before it is called again. */
  readonly #fresh = new Set<RunRecorder>()
  /** Open runs, with the time at which each was last written. */
  readonly #open = new Map<RunRecorder, number>()
  readonly #changed = new Set<RunRecorder>()
  readonly #pinned = new Set<string>()
  /** Ended runs that were already written to disk while they were open. */
  readonly #partlyWritten = new Set<RunRecorder>()
  #ended: RunRecorder[] = []
  #writing: RunRecorder[] = []
  #limits: Limits
  #pausedUntil = 0
  /** Whether the last write failed. `onWarning` is called only for the first of several consecutive failures. */
  #hasFailed = false
  #hasNew = false
  /** Whether a run started, changed or ended during a write. */
  #hasMore = false
  #pause: NodeJS.Timeout | undefined
  #later: NodeJS.Timeout | undefined
  /** The tail of the file operation queue. Operations run one after another. */
  #work: Promise<unknown>

  constructor({ folder, maxRuns = 500, maxBytes = 200_000_000, onWarning = () => {} }: RunStoreOptions) {
    this.#limits = { maxRuns, maxBytes }
    this.#onWarning = onWarning
    this.#segments = new SegmentFiles(folder, () => Math.min(8_000_000, this.#limits.maxBytes / 8))
    this.#work = this.#load()
  }

  add(recorder: RunRecorder): void {
    this.#fresh.add(recorder)
    if (this.#fresh.size >= SORT_BATCH) this.#sortFresh()
    this.#hasNew = true
    this.#debouncer.trigger()
  }

  update(recorder: RunRecorder): void {
    if (!recorder.isEnded && this.#open.has(recorder)) this.#changed.add(recorder)
    this.#debouncer.trigger()
  }

  async list(filter?: RunFilter): Promise<RunList> {
    const all = await this.#all()
    return listRuns(
      all.map(({ summary }) => summary),
      filter,
    )
  }

  async errors(): Promise<ErrorGroup[]> {
    return groupErrors(await this.#all())
  }

  async read(id: string): Promise<Run | null> {
    const recorder = this.#recorders().find((one) => one.id === id)
    if (recorder !== undefined) {
      await recorder.load()
      return this.#toRun(recorder)
    }
    return this.#next(async () => {
      const entry = this.#index.get(id)
      const run = entry === undefined ? null : await this.#segments.read(entry.location)
      return run === null || entry === undefined ? null : { ...run, ...entry.summary }
    })
  }

  async pin(id: string, isPinned: boolean): Promise<RunSummary | null> {
    await this.flush()
    const run = await this.read(id)
    if (run === null) return null
    this.#pinned[isPinned ? 'add' : 'delete'](id)
    const pinned = { ...run, isPinned }
    await this.#next(() => appendRuns([pinned], this.#index, this.#segments))
    return toSummary(pinned)
  }

  async clear(): Promise<number> {
    await this.flush()
    return this.#next(() => clearRuns(this.#index, this.#segments))
  }

  limit(limits: Limits): void {
    this.#limits = limits
    this.#debouncer.trigger()
  }

  async flush(): Promise<void> {
    await this.#next(() => this.#write(Infinity))
  }

  async close(): Promise<void> {
    this.#debouncer.stop()
    clearTimeout(this.#pause)
    clearTimeout(this.#later)
    await this.flush()
    await this.#next(() => this.#segments.close())
  }

  /** Schedules a write, after a pause if new runs keep arriving. */
  #writeSoon(): void {
    if (this.#pause !== undefined) {
      this.#hasMore = true
      return
    }
    const pause = this.#hasNew || this.#hasFailed ? Math.max(0, this.#pausedUntil - performance.now()) : 0
    this.#pause = setTimeout(() => {
      this.#hasMore = false
      // Runs that end during this write are included in the next one.
      void this.#next(() => this.#write(MAX_WRITE_MS)).finally(() => {
        this.#pause = undefined
        if (this.#hasMore || this.#ended.length > 0 || this.#due().length > 0) this.#debouncer.trigger()
        else if (this.#changed.size > 0) this.#later ??= setTimeout(() => this.#again(), REWRITE_MS).unref()
      })
    }, pause).unref()
  }

  #again(): void {
    this.#later = undefined
    this.#debouncer.trigger()
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => {})
    return done
  }

  async #load(): Promise<void> {
    for await (const { segment, runs, bad } of this.#segments.load()) {
      if (bad > 0) this.#onWarning(`${segment.path}: ${bad} invalid ${bad === 1 ? 'line was' : 'lines were'} skipped`)
      this.#index.addSegment(segment)
      for (const { run, from, bytes } of runs) {
        this.#index.set(segment.isForeign ? run : toCancelled(run), { segment, from, bytes })
      }
    }
    dropSurplus(this.#index, this.#limits)
  }

  #recorders(): RunRecorder[] {
    return [...this.#open.keys(), ...this.#writing, ...this.#ended, ...this.#fresh]
  }

  /** Returns all runs, written or not, sorted by id. */
  async #all(): Promise<RunOutcome[]> {
    await this.#next(() => Promise.resolve())
    const fresh = this.#recorders()
    if (fresh.length === 0) return this.#index.entries()
    await loadRecorders(fresh)
    const all = new Map<string, RunOutcome>(this.#index.entries().map((entry) => [entry.summary.id, entry]))
    for (const recorder of fresh) {
      const summary = { ...recorder.summary(), isPinned: this.#pinned.has(recorder.id) }
      all.set(recorder.id, { summary, thrown: summary.state === 'failed' ? recorder.toRun().thrown : null })
    }
    return [...all.values()].toSorted((a, b) => (a.summary.id < b.summary.id ? -1 : 1))
  }

  #toRun(recorder: RunRecorder): Run {
    return { ...recorder.toRun(), isPinned: this.#pinned.has(recorder.id) }
  }

  /** Sorts new runs into open and ended ones, and moves open runs that have ended to `#ended`. */
  #sortFresh(): void {
    for (const recorder of this.#fresh) {
      if (recorder.isEnded) this.#ended.push(recorder)
      else this.#open.set(recorder, 0)
    }
    this.#fresh.clear()
    for (const [recorder, writtenAt] of this.#open) {
      if (!recorder.isEnded) continue
      this.#open.delete(recorder)
      this.#changed.delete(recorder)
      if (writtenAt > 0) this.#partlyWritten.add(recorder)
      this.#ended.push(recorder)
    }
    // Runs that retention would drop immediately are never written.
    if (this.#ended.length >= this.#limits.maxRuns + SORT_BATCH) this.#dropSurplus(this.#ended)
  }

  #dropSurplus(recorders: RunRecorder[]): void {
    for (const recorder of recorders.splice(0, Math.max(0, recorders.length - this.#limits.maxRuns))) {
      recorder.release()
      if (this.#partlyWritten.delete(recorder) && !this.#pinned.has(recorder.id)) this.#index.delete(recorder.id)
    }
  }

  #release(recorder: RunRecorder): void {
    this.#partlyWritten.delete(recorder)
    recorder.release()
  }

  async #write(maxSpent: number): Promise<void> {
    this.#sortFresh()
    this.#hasNew = false
    const waiting = (this.#writing = this.#ended)
    this.#ended = []
    this.#dropSurplus(waiting)
    try {
      await forgetDeleted(this.#index, this.#segments)
      await this.#writeWaiting(waiting, maxSpent)
      await retain(this.#index, this.#segments, this.#limits)
    } catch (error) {
      if (!this.#hasFailed) this.#onWarning(`cannot write runs: ${String(error)}`)
      this.#hasFailed = true
      this.#pausedUntil = performance.now() + MAX_WRITE_MS * PAUSE_FACTOR
      for (const recorder of waiting.splice(0)) this.#release(recorder)
    } finally {
      this.#ended = [...waiting, ...this.#ended]
      this.#writing = []
    }
  }

  async #writeWaiting(waiting: RunRecorder[], maxSpent: number): Promise<void> {
    let spent = 0
    let count = 0
    while (waiting.length > 0 && spent < maxSpent) {
      const from = maxSpent === Infinity ? 0 : Math.max(0, waiting.length - WRITE_BATCH)
      const some = waiting.slice(from, from + WRITE_BATCH)
      spent += await this.#writeSome(some)
      for (const recorder of waiting.splice(from, WRITE_BATCH)) this.#release(recorder)
      count += some.length
    }
    const due = this.#due(maxSpent === Infinity ? 0 : REWRITE_MS)
    for (let at = 0; at < due.length && spent < maxSpent; at += WRITE_BATCH) {
      const some = due.slice(at, at + WRITE_BATCH).filter((recorder) => this.#open.has(recorder))
      for (const recorder of some) {
        this.#open.set(recorder, performance.now())
        this.#changed.delete(recorder)
      }
      spent += await this.#writeSome(some)
      count += some.length
    }
    this.#pausedUntil = count > NO_PAUSE_RUNS ? performance.now() + Math.min(spent, MAX_WRITE_MS) * PAUSE_FACTOR : 0
  }

  /** Writes runs and returns how long the app was blocked, in ms. */
  async #writeSome(recorders: readonly RunRecorder[]): Promise<number> {
    await loadRecorders(recorders)
    const began = performance.now()
    const writing = appendRuns(
      recorders.map((recorder) => this.#toRun(recorder)),
      this.#index,
      this.#segments,
    )
    const spent = performance.now() - began
    await writing
    this.#hasFailed = false
    return spent
  }

  /** Returns the open runs to write in case this process is killed: new runs, and changed runs not written recently. */
  #due(rewriteMs = REWRITE_MS): RunRecorder[] {
    const now = performance.now()
    const isDue = (recorder: RunRecorder, writtenAt: number): boolean =>
      writtenAt === 0 || (this.#changed.has(recorder) && now - writtenAt >= rewriteMs)
    return Array.from(this.#open).flatMap(([recorder, writtenAt]) => (isDue(recorder, writtenAt) ? [recorder] : []))
  }
}

function toCancelled(run: Run): Run {
  return run.state === 'running' ? { ...run, state: 'cancelled', error: 'the server exited' } : run
}
