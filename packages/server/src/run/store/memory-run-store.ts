import { memoryInspector } from './memory-run-inspector.ts'
import {
  findExisting,
  isWaitingFor,
  readyAt,
  startEpoch,
  takeOver,
  toClaimed,
  toStored,
  type MemoryRun,
} from './memory-run.ts'
import { MemoryThreads } from './memory-threads.ts'
import { compareRuns, crashedEnd, endOf, isFull, toInline } from './memory-values.ts'
import { RunClock } from './run-clock.ts'
import { cutRuns } from './run-size.ts'
import type { InspectableRunStore, RunInspector } from './run-inspector.ts'
import { RUN_LIMITS, SUSPECT_CRASHES } from '../run-limits.ts'
import { memorySchedules, type MemorySchedules } from './schedule-store.ts'
import type {
  ClaimedRun,
  CreatedRun,
  NewRun,
  RunChunks,
  RunClaim,
  RunEnd,
  RunQuery,
  RunStore,
  RunWrite,
  SendOutcome,
  SentEvent,
  StoredRun,
  StoredStep,
  StoredValue,
} from './run-store.ts'

const TOMBSTONE_MS = 30 * 86_400_000

/** Creates a store that keeps runs in memory, for tests. They are lost when the process ends. */
export function memoryRuns({ now = Date.now }: { now?: () => number } = {}): InspectableRunStore {
  return new MemoryRunStore(now)
}

/** The store of `memoryRuns`. Tests can advance its clock. */
export class MemoryRunStore implements InspectableRunStore {
  readonly inspect: RunInspector = memoryInspector(() => this.#all(), this)
  readonly schedules: MemorySchedules = memorySchedules()
  readonly threads: MemoryThreads
  readonly #now: () => number
  readonly clock: RunClock
  readonly delay: RunClock['delay'] = (run, ms) => this.clock.delay(run, ms)
  readonly #runs = new Map<string, MemoryRun>()
  readonly #processes = new Map<string, (run: string | null) => void>()

  constructor(now: () => number) {
    this.clock = new RunClock(now, () => this.#notify('', null))
    this.#now = () => this.clock.now()
    const cancel: MemoryRunStore['cancel'] = (id, process) => this.cancel(id, process)
    this.threads = new MemoryThreads({ now: this.#now, runs: this.#runs, cancel })
  }

  async ready(): Promise<void> {}

  async now(): Promise<number> {
    return this.#now()
  }

  async join(process: string, onNews: (run: string | null) => void): Promise<void> {
    this.#processes.set(process, onNews)
  }

  async renew(process: string): Promise<ReadonlySet<string>> {
    return new Set(this.#all().flatMap(({ id, owner }) => (owner === process ? [id] : [])))
  }

  async leave(process: string): Promise<void> {
    this.#processes.delete(process)
  }

  async create(run: NewRun): Promise<CreatedRun> {
    const found = findExisting(this.#all(), run)
    if (found !== null) return found
    this.threads.use(run)
    const { process } = run
    const state = { owner: process, status: process === null ? 'queued' : 'running', epoch: process === null ? 0 : 1 }
    const counts = { kept: 0, base: 0, crashes: 0, retractions: [], pages: [], steps: new Map(), events: new Map() }
    const ending = { output: null, error: null, pause: null, endedAt: null, isGone: false }
    const createdAt = new Date(this.#now()).toISOString()
    this.#runs.set(run.id, { ...run, ...state, ...counts, ...ending, createdAt } as MemoryRun)
    if (process === null && this.#isReady(this.#runs.get(run.id))) this.#notify('', '*')
    return { outcome: 'created', id: run.id }
  }

  async claim(process: string, { agents, limit, suspects = [limit, limit] }: RunClaim): Promise<ClaimedRun[]> {
    const known = this.#all().filter(({ agent, endedAt }) => endedAt === null && agents.includes(agent))
    const crashed = known.filter(({ owner }) => owner !== null && !this.#processes.has(owner))
    const isAllowed = ({ crashes }: MemoryRun, at: number, all: MemoryRun[]): boolean =>
      all.slice(0, at).filter((run) => run.crashes === crashes).length < (suspects[crashes - SUSPECT_CRASHES] ?? limit)
    const lost = crashed.filter(isAllowed)
    const ready = known.filter((run) => this.#isReady(run)).toSorted((a, b) => (readyAt(a) || 0) - (readyAt(b) || 0))
    const taken = [...lost, ...ready].slice(0, limit)
    for (const run of taken) {
      takeOver(run, process)
      if (run.crashes >= RUN_LIMITS.crashes) this.#end(run, crashedEnd())
      this.#notify(process, run.id)
    }
    return taken.map(toClaimed)
  }

  async write(process: string, writes: readonly RunWrite[]): Promise<boolean[]> {
    return writes.map((write) => {
      const run = this.#find(process, write)
      if (run === null) return false
      const { epoch, first, chunks } = write
      if (chunks.length > 0) run.pages.push({ epoch, first, chunks })
      for (const step of write.steps) {
        run.steps.set(step.name, { ...step, at: this.#now(), epoch, process })
        run.kept = Math.max(run.kept, step.chunks)
        run.crashes = 0
      }
      if (write.end?.status === 'waiting') Object.assign(run, { status: 'waiting', owner: null, pause: write.end })
      else if (write.end !== null) this.#end(run, write.end)
      this.#notify(process, run.id)
      return true
    })
  }

  async retract(process: string, { keep, ...fence }: Parameters<RunStore['retract']>[1]): Promise<number | null> {
    const next = this.#find(process, { id: fence.id, epoch: fence.epoch + 1 })
    if (String(next?.retractions.at(-1)) === `${next?.epoch},${keep}`) return fence.epoch + 1
    const run = this.#find(process, fence)
    if (run === null) return null
    run.kept = Math.min(run.kept, keep)
    startEpoch(run, keep)
    this.#notify(process, run.id)
    return run.epoch
  }

  async release(process: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const run = this.#runs.get(id)
      if (run?.owner === process) Object.assign(run, { owner: null, status: 'queued' })
    }
    this.#notify(process, '*')
  }

  async cancel(id: string, process: string): Promise<boolean> {
    const run = this.#runs.get(id)
    if (run === undefined || run.endedAt !== null) return false
    this.#end(run, { status: 'cancelled', output: null, error: null })
    this.#notify(process, id)
    return true
  }

  async send(event: SentEvent, process: string): Promise<SendOutcome> {
    const run = this.#runs.get(event.run)
    const known = run?.events.get(event.key)
    if (known !== undefined) return known.print === event.print ? 'joined' : 'reused'
    if (run === undefined || run.endedAt !== null) return 'ended'
    if (event.value !== null && isFull(run.events, event.value.length)) return 'full'
    run.events.set(event.key, { ...event, at: this.#now() })
    for (const news of this.#isReady(run) ? [event.run, '*'] : [event.run]) this.#notify(process, news)
    return 'sent'
  }

  async events(run: string): Promise<ReadonlyMap<string, StoredValue>> {
    const events = this.#runs.get(run)?.events.values() ?? []
    return new Map(Array.from(events, (event) => [event.key, { value: toInline(event) }]))
  }

  async event(run: string, key: string): Promise<SentEvent | null> {
    return this.#runs.get(run)?.events.get(key) ?? null
  }

  async get(id: string): Promise<StoredRun | null> {
    return toStored(this.#runs.get(id))
  }

  async read(id: string, from: number): Promise<RunChunks | null> {
    const run = this.#runs.get(id)
    const stored = toStored(run)
    if (run === undefined || stored === null) return null
    const pages = run.pages.filter((page) => endOf(page) > from)
    return { run: stored, pages: pages.toSorted((a, b) => a.first - b.first || a.epoch - b.epoch) }
  }

  async steps(id: string): Promise<ReadonlyMap<string, StoredStep>> {
    const steps = this.#runs.get(id)?.steps.values() ?? []
    return new Map(Array.from(steps, (step) => [step.name, { chunks: step.chunks, value: toInline(step) }]))
  }

  async stepValue(id: string, name: string): Promise<string | null> {
    return this.#runs.get(id)?.steps.get(name)?.value ?? null
  }

  async list({ agent, of, thread, limit, after }: RunQuery): Promise<StoredRun[]> {
    const isAfter = (run: MemoryRun): boolean => after === null || compareRuns(run, after) > 0
    const isOf = (run: MemoryRun): boolean =>
      'userId' in of ? run.userId === of.userId : run.status === 'waiting' && isWaitingFor(run, of.waiting)
    const own = this.#all().filter((run) => run.agent === agent && isOf(run) && isAfter(run))
    const found = own.filter((run) => thread === null || run.thread === thread).toSorted(compareRuns)
    return cutRuns(found.slice(0, limit).flatMap((run) => toStored(run) ?? []))
  }

  async sweep(agents: readonly string[]): Promise<string[]> {
    for (const run of this.#all()) {
      const age = run.endedAt === null ? -1 : this.#now() - run.endedAt - run.keepFor * 1000
      if (age > TOMBSTONE_MS) this.#runs.delete(run.id)
      else if (age > 0) {
        run.steps.clear()
        run.events.clear()
        Object.assign(run, { isGone: true, pages: [], output: null, error: null, input: null, pause: null })
      }
    }
    this.threads.sweep()
    const unknown = this.#all().filter(({ agent, endedAt }) => endedAt === null && !agents.includes(agent))
    return [...new Set(unknown.map(({ agent }) => agent))]
  }

  async deleteUser(userId: string): Promise<void> {
    this.threads.deleteUser(userId)
    for (const run of this.#all()) if (run.userId === userId && this.#runs.delete(run.id)) this.#notify('', run.id)
  }

  async close(): Promise<void> {}

  /** Returns the unfinished runs, each with whether it is due if it waits. */
  unfinished(): (MemoryRun & { readonly isDue: boolean })[] {
    return this.#all().flatMap((run) => (run.endedAt === null ? { ...run, isDue: this.#isReady(run) } : []))
  }

  #all(): MemoryRun[] {
    return [...this.#runs.values()]
  }

  #find(process: string, { id, epoch }: Pick<RunWrite, 'id' | 'epoch'>): MemoryRun | null {
    const run = this.#runs.get(id)
    return run?.owner === process && run.epoch === epoch && run.status === 'running' ? run : null
  }

  #isReady(run: MemoryRun | undefined): boolean {
    if (run?.status === 'waiting' && run.pause?.events.some((key) => run.events.has(key)) === true) return true
    return run !== undefined && readyAt(run) <= this.#now() && this.threads.isFirst(run)
  }

  #end(run: MemoryRun, { status, output, error, state }: RunEnd): void {
    if (state !== undefined) this.threads.use(run, state)
    Object.assign(run, { status, output, error, owner: null, endedAt: this.#now() })
  }

  #notify(from: string, run: string | null): void {
    for (const [process, onNews] of this.#processes) if (process !== from) onNews(run)
  }
}
