import { createPulse, type Pulse } from './pulse.ts'
import type { ErrorGroup, RunFilter, RunList } from '../api.ts'
import { toSummary, type Run, type RunSummary } from '../run.ts'
import { groupErrors, type MaybeFailed } from './error-groups.ts'
import { clearRuns, dropSurplus, retain, write, type Limits } from './retention.ts'
import { RunIndex } from './run-index.ts'
import { listRuns } from './run-list.ts'
import type { RunDraft, RunStore, RunStoreOptions } from './run-store.ts'
import { openSegments, type Segments } from './segments.ts'

/** How often a run that goes on is written anew, in ms. */
const REWRITE = 5_000

/** After each write it rests for so many times as long as that took, and at most so many ms. */
const REST = 40
const MAX_REST = 5_000

/** Runs that are too many before some are dropped: one by one would take longer. */
const SURPLUS = 100

/** Runs that are put in words before others have a turn. */
const AT_ONCE = 50

/** The runs of a project, in files of its folder. */
export function openRunStore(options: RunStoreOptions): RunStore {
  return new FileRunStore(options)
}

class FileRunStore implements RunStore {
  readonly #index = new RunIndex()
  readonly #segments: Segments
  readonly #onFault: (fault: string) => void
  readonly #pulse: Pulse
  /** Those that go on, and when each was written last. */
  readonly #open = new Map<RunDraft, number>()
  readonly #changed = new Set<RunDraft>()
  readonly #pinned = new Set<string>()
  #ended: RunDraft[] = []
  /** Those that are being written. */
  #writing: readonly RunDraft[] = []
  #limits: Limits
  #restUntil = 0
  /** Did the last write fail? That is told once. */
  #isFaulty = false
  #resting: NodeJS.Timeout | undefined
  #later: NodeJS.Timeout | undefined
  /** One thing after the other. */
  #work: Promise<unknown>

  constructor({ folder, maxRuns = 500, maxBytes = 200_000_000, onFault = () => {} }: RunStoreOptions) {
    this.#limits = { maxRuns, maxBytes }
    this.#onFault = onFault
    this.#segments = openSegments(folder, () => Math.min(8_000_000, this.#limits.maxBytes / 8))
    this.#pulse = createPulse(() => this.#beat(), { quiet: 10, most: 250 })
    this.#work = this.#load()
  }

  add(draft: RunDraft): void {
    this.#open.set(draft, 0)
    this.#pulse.touch()
  }

  update(draft: RunDraft): void {
    if (draft.isEnded) {
      this.#open.delete(draft)
      this.#changed.delete(draft)
      this.#ended.push(draft)
      // What would be dropped when it is written need not be written.
      if (this.#ended.length >= this.#limits.maxRuns + SURPLUS) this.#shed()
    } else this.#changed.add(draft)
    this.#pulse.touch()
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
    if (draft !== undefined) return this.#toRun(draft)
    return this.#next(async () => {
      const entry = this.#index.get(id)
      const run = entry === undefined ? null : await this.#segments.read(entry.place)
      return run === null || entry === undefined ? null : { ...run, ...entry.summary }
    })
  }

  async pin(id: string, isPinned: boolean): Promise<RunSummary | null> {
    await this.flush()
    const run = await this.read(id)
    if (run === null) return null
    this.#pinned[isPinned ? 'add' : 'delete'](id)
    const pinned = { ...run, isPinned }
    await this.#next(() => write([pinned], this.#index, this.#segments))
    return toSummary(pinned)
  }

  async clear(): Promise<number> {
    await this.flush()
    return this.#next(() => clearRuns(this.#index, this.#segments))
  }

  limit(limits: Limits): void {
    this.#limits = limits
    this.#pulse.touch()
  }

  flush(): Promise<void> {
    return this.#next(() => this.#write())
  }

  async close(): Promise<void> {
    this.#pulse.stop()
    clearTimeout(this.#resting)
    clearTimeout(this.#later)
    await this.flush()
    await this.#next(() => this.#segments.close())
  }

  /** Writes, or rests before that, so that the app has most of the time. */
  #beat(): void {
    if (this.#resting !== undefined) return
    const rest = Math.max(0, this.#restUntil - performance.now())
    this.#resting = setTimeout(() => {
      // What ends meanwhile waits for the next time.
      void this.flush().finally(() => {
        this.#resting = undefined
        if (this.#ended.length > 0) this.#pulse.touch()
        else if (this.#changed.size > 0) this.#later ??= setTimeout(() => this.#again(), REWRITE).unref()
      })
    }, rest).unref()
  }

  /** Those that went on are written anew. */
  #again(): void {
    this.#later = undefined
    this.#pulse.touch()
  }

  /** Settles when what was asked for before is done. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => {})
    return done
  }

  async #load(): Promise<void> {
    for await (const { segment, runs, bad } of this.#segments.load()) {
      if (bad > 0) this.#onFault(`${segment.path}: ${bad} ${bad === 1 ? 'line is' : 'lines are'} no run and left out`)
      this.#index.addSegment(segment)
      for (const { run, from, bytes } of runs) {
        this.#index.set(segment.isForeign ? run : toDead(run), { segment, from, bytes })
      }
    }
    dropSurplus(this.#index, this.#limits)
  }

  #drafts(): RunDraft[] {
    return [...this.#open.keys(), ...this.#writing, ...this.#ended]
  }

  /** What is on disk and what is not yet, sorted by id. */
  async #all(): Promise<MaybeFailed[]> {
    await this.#next(() => Promise.resolve())
    const fresh = this.#drafts()
    if (fresh.length === 0) return this.#index.entries()
    const all = new Map<string, MaybeFailed>(this.#index.entries().map((entry) => [entry.summary.id, entry]))
    for (const draft of fresh) {
      const summary = { ...draft.summary(), isPinned: this.#pinned.has(draft.id) }
      all.set(draft.id, { summary, thrown: summary.state === 'failed' ? draft.toRun().thrown : null })
    }
    return [...all.values()].toSorted((a, b) => (a.summary.id < b.summary.id ? -1 : 1))
  }

  #toRun(draft: RunDraft): Run {
    return { ...draft.toRun(), isPinned: this.#pinned.has(draft.id) }
  }

  #shed(): void {
    for (const draft of this.#ended.splice(0, SURPLUS)) this.#letGo(draft)
  }

  #letGo(draft: RunDraft): void {
    draft.letGo()
    if (!this.#pinned.has(draft.id)) this.#index.delete(draft.id)
  }

  async #write(): Promise<void> {
    const ended = this.#ended
    this.#ended = []
    const surplus = Math.max(0, ended.length - this.#limits.maxRuns)
    for (const draft of ended.slice(0, surplus)) this.#letGo(draft)
    this.#writing = ended.slice(surplus)
    try {
      await this.#writeAll([...this.#writing, ...this.#due()])
      await retain(this.#index, this.#segments, this.#limits)
    } catch (error) {
      if (!this.#isFaulty) this.#onFault(`runs cannot be written: ${String(error)}`)
      this.#isFaulty = true
    } finally {
      for (const draft of this.#writing) draft.letGo()
      this.#writing = []
    }
  }

  async #writeAll(drafts: readonly RunDraft[]): Promise<void> {
    let spent = 0
    for (let at = 0; at < drafts.length; at += AT_ONCE) {
      const began = performance.now()
      const runs = drafts.slice(at, at + AT_ONCE).map((draft) => this.#toRun(draft))
      const writing = write(runs, this.#index, this.#segments)
      spent += performance.now() - began
      await writing
      this.#isFaulty = false
    }
    this.#restUntil = performance.now() + Math.min(spent * REST, MAX_REST)
  }

  /** Those that go on and were not written, or have changed and were not written for long: this process may be killed. */
  #due(): RunDraft[] {
    const now = performance.now()
    const due = Array.from(this.#open).flatMap(([draft, writtenAt]) => {
      const isDue = writtenAt === 0 || (this.#changed.has(draft) && now - writtenAt >= REWRITE)
      return isDue ? [draft] : []
    })
    for (const draft of due) {
      this.#open.set(draft, now)
      this.#changed.delete(draft)
    }
    return due
  }
}

/** A run whose process has died. */
function toDead(run: Run): Run {
  return run.state === 'running' ? { ...run, state: 'cancelled', error: 'the server ended' } : run
}
