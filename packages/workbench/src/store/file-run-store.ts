import { createDebouncer, type Debouncer } from './debouncer.ts'
import type { ErrorGroup, RunFilter, RunList } from '../api.ts'
import { toSummary, type Run, type RunSummary } from '../run.ts'
import { loadIdentities } from './load-identities.ts'
import { groupErrors, type RunOutcome } from './error-groups.ts'
import { clearRuns, dropSurplus, retain, appendRuns, type Limits } from './retention.ts'
import { RunIndex } from './run-index.ts'
import { listRuns } from './run-list.ts'
import type { RunRecorder, RunStore, RunStoreOptions } from './run-store.ts'
import { openSegments, type SegmentFiles } from './segments.ts'

/** How often a run that goes on is written again, in ms. */
const REWRITE_MS = 5_000

/**
 * Writing takes at most `MAX_SPENT` ms of the app's time at once, and then pauses for `REST` times as long as it took,
 * so that a busy app is not slowed down. The newest runs are written first; the rest waits.
 */
const MAX_WRITE_MS = 12
const PAUSE_FACTOR = 40

/** After so few runs there is no pause, so that single calls are on disk at once. */
const NO_PAUSE_RUNS = 10

/** How many runs are serialized before other work gets a turn. */
const WRITE_BATCH = 10

/** How many new runs are sorted into ended and open ones at once: one by one would take longer. */
const SORT_BATCH = 100

/** Opens the runs of a project, which are files in its folder. */
export function openRunStore(options: RunStoreOptions): RunStore {
  return new FileRunStore(options)
}

class FileRunStore implements RunStore {
  readonly #index = new RunIndex()
  readonly #segments: SegmentFiles
  readonly #onFault: (fault: string) => void
  readonly #pulse: Debouncer
  /** Runs that began since the last `#look`. In a busy app, most have ended by the next one. */
  #fresh: RunRecorder[] = []
  /** Runs that go on, and when each was last written. */
  readonly #open = new Map<RunRecorder, number>()
  readonly #changed = new Set<RunRecorder>()
  readonly #pinned = new Set<string>()
  /** Runs that have ended, and of which an earlier state is on disk. */
  readonly #half = new Set<RunRecorder>()
  #ended: RunRecorder[] = []
  /** Runs that are being written. */
  #writing: RunRecorder[] = []
  #limits: Limits
  #restUntil = 0
  /** Did the last write fail? `onFault` is called only for the first failure. */
  #isFaulty = false
  #hasNew = false
  #resting: NodeJS.Timeout | undefined
  #later: NodeJS.Timeout | undefined
  /** The end of the queue: file operations run one after the other. */
  #work: Promise<unknown>

  constructor({ folder, maxRuns = 500, maxBytes = 200_000_000, onWarning: onFault = () => {} }: RunStoreOptions) {
    this.#limits = { maxRuns, maxBytes }
    this.#onFault = onFault
    this.#segments = openSegments(folder, () => Math.min(8_000_000, this.#limits.maxBytes / 8))
    this.#pulse = createDebouncer(() => this.#beat(), { quiet: 10, most: 250 })
    this.#work = this.#load()
  }

  add(draft: RunRecorder): void {
    this.#fresh.push(draft)
    if (this.#fresh.length >= SORT_BATCH) this.#look()
    this.#hasNew = true
    this.#pulse.trigger()
  }

  update(draft: RunRecorder): void {
    if (!draft.isEnded && this.#open.has(draft)) this.#changed.add(draft)
    this.#pulse.trigger()
  }

  async list(filter?: RunFilter): Promise<RunList> {
    return listRuns(
      (await this.#all()).map(({ summary }) => summary),
      filter,
    )
  }

  async errors(): Promise<ErrorGroup[]> {
    return groupErrors(await this.#all())
  }

  async read(id: string): Promise<Run | null> {
    const draft = this.#drafts().find((one) => one.id === id)
    if (draft !== undefined) {
      await draft.loadIdentity()
      return this.#toRun(draft)
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
    this.#pulse.trigger()
  }

  async flush(): Promise<void> {
    await this.#next(() => this.#write(Infinity))
  }

  async close(): Promise<void> {
    this.#pulse.stop()
    clearTimeout(this.#resting)
    clearTimeout(this.#later)
    await this.flush()
    await this.#next(() => this.#segments.close())
  }

  /** Writes; after a pause where new runs keep coming. */
  #beat(): void {
    if (this.#resting !== undefined) return
    const rest = this.#hasNew || this.#isFaulty ? Math.max(0, this.#restUntil - performance.now()) : 0
    this.#resting = setTimeout(() => {
      // Runs that end meanwhile are written the next time.
      void this.#next(() => this.#write(MAX_WRITE_MS)).finally(() => {
        this.#resting = undefined
        if (this.#ended.length > 0 || this.#due().length > 0) this.#pulse.trigger()
        else if (this.#changed.size > 0) this.#later ??= setTimeout(() => this.#again(), REWRITE_MS).unref()
      })
    }, rest).unref()
  }

  /** Writes open runs that have changed. */
  #again(): void {
    this.#later = undefined
    this.#pulse.trigger()
  }

  /** Runs work after all earlier work. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => {})
    return done
  }

  async #load(): Promise<void> {
    for await (const { segment, runs, bad } of this.#segments.load()) {
      if (bad > 0) this.#onFault(`${segment.path}: ${bad} invalid ${bad === 1 ? 'line was' : 'lines were'} skipped`)
      this.#index.addSegment(segment)
      for (const { run, from, bytes } of runs) {
        this.#index.set(segment.isForeign ? run : toCancelled(run), { segment, from, bytes })
      }
    }
    dropSurplus(this.#index, this.#limits)
  }

  #drafts(): RunRecorder[] {
    return [...this.#open.keys(), ...this.#writing, ...this.#ended, ...this.#fresh]
  }

  /** All runs, on disk or not yet, sorted by id. */
  async #all(): Promise<RunOutcome[]> {
    await this.#next(() => Promise.resolve())
    const fresh = this.#drafts()
    if (fresh.length === 0) return this.#index.entries()
    await loadIdentities(fresh)
    const all = new Map<string, RunOutcome>(this.#index.entries().map((entry) => [entry.summary.id, entry]))
    for (const draft of fresh) {
      const summary = { ...draft.summary(), isPinned: this.#pinned.has(draft.id) }
      all.set(draft.id, { summary, thrown: summary.state === 'failed' ? draft.toRun().thrown : null })
    }
    return [...all.values()].toSorted((a, b) => (a.summary.id < b.summary.id ? -1 : 1))
  }

  #toRun(draft: RunRecorder): Run {
    return { ...draft.toRun(), isPinned: this.#pinned.has(draft.id) }
  }

  /** Moves runs that have ended to `#ended`. */
  #look(): void {
    for (const draft of this.#fresh.splice(0)) {
      if (draft.isEnded) this.#ended.push(draft)
      else this.#open.set(draft, 0)
    }
    for (const [draft, writtenAt] of this.#open) {
      if (!draft.isEnded) continue
      this.#open.delete(draft)
      this.#changed.delete(draft)
      if (writtenAt > 0) this.#half.add(draft)
      this.#ended.push(draft)
    }
    // Runs that retention would drop at once are not written at all.
    if (this.#ended.length >= this.#limits.maxRuns + SORT_BATCH) this.#shed(this.#ended)
  }

  /** Drops the oldest runs above the limit. */
  #shed(drafts: RunRecorder[]): void {
    for (const draft of drafts.splice(0, Math.max(0, drafts.length - this.#limits.maxRuns))) {
      draft.release()
      if (this.#half.delete(draft) && !this.#pinned.has(draft.id)) this.#index.delete(draft.id)
    }
  }

  #letGo(draft: RunRecorder): void {
    this.#half.delete(draft)
    draft.release()
  }

  async #write(maxSpent: number): Promise<void> {
    this.#look()
    this.#hasNew = false
    const waiting = (this.#writing = this.#ended)
    this.#ended = []
    this.#shed(waiting)
    try {
      await this.#writeWaiting(waiting, maxSpent)
      await retain(this.#index, this.#segments, this.#limits)
    } catch (error) {
      if (!this.#isFaulty) this.#onFault(`runs cannot be written: ${String(error)}`)
      this.#isFaulty = true
      this.#restUntil = performance.now() + MAX_WRITE_MS * PAUSE_FACTOR
      for (const draft of waiting.splice(0)) this.#letGo(draft)
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
      for (const draft of waiting.splice(from, WRITE_BATCH)) this.#letGo(draft)
      count += some.length
    }
    const due = this.#due()
    for (let at = 0; at < due.length && spent < maxSpent; at += WRITE_BATCH) {
      const some = due.slice(at, at + WRITE_BATCH).filter((draft) => this.#open.has(draft))
      for (const draft of some) {
        this.#open.set(draft, performance.now())
        this.#changed.delete(draft)
      }
      spent += await this.#writeSome(some)
      count += some.length
    }
    this.#restUntil = count > NO_PAUSE_RUNS ? performance.now() + Math.min(spent, MAX_WRITE_MS) * PAUSE_FACTOR : 0
  }

  /** Writes runs; gives how many ms of the app's time it took. */
  async #writeSome(drafts: readonly RunRecorder[]): Promise<number> {
    await loadIdentities(drafts)
    const began = performance.now()
    const writing = appendRuns(
      drafts.map((draft) => this.#toRun(draft)),
      this.#index,
      this.#segments,
    )
    const spent = performance.now() - began
    await writing
    this.#isFaulty = false
    return spent
  }

  /** Open runs to write, in case this process is killed: those not written yet, and those changed some time ago. */
  #due(): RunRecorder[] {
    const now = performance.now()
    return Array.from(this.#open).flatMap(([draft, writtenAt]) => {
      const isDue = writtenAt === 0 || (this.#changed.has(draft) && now - writtenAt >= REWRITE_MS)
      return isDue ? [draft] : []
    })
  }
}

/** Ends a run whose process has died. */
function toCancelled(run: Run): Run {
  return run.state === 'running' ? { ...run, state: 'cancelled', error: 'the server ended' } : run
}
