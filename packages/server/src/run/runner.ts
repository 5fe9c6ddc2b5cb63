import type { Agent } from '../define/agent.ts'
import { errorFields, type Log } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import { runDetached } from '../platform/async-storage.ts'
import { unref } from '../platform/unref-timer.ts'
import { ActiveRun } from './active-run.ts'
import { ActiveRuns, type ActiveEntry } from './active-runs.ts'
import { executeRun, type Attempt } from './execute-run.ts'
import { createRunContext, findRunAuth, toBackgroundRun, toRunAuth, type RunHost } from './run-context.ts'
import { WaitingObservers } from './waiting-observers.ts'
import { randomId } from './run-id.ts'
import { SUSPECT_CRASHES } from './run-limits.ts'
import { RunNews } from './run-news.ts'
import { RunClaims } from './run-claims.ts'
import type { ClaimedRun, CreatedRun, NewRun, RunStore, RunWrite, SendOutcome, SentEvent } from './store/run-store.ts'
import { delay, RunWriter, untilAvailable } from './run-writer.ts'
import { toEndEvent } from './step/child-run.ts'

/** The dependencies of a runner. */
export interface RunnerDependencies {
  readonly store: RunStore
  readonly agents: readonly Agent[]
  readonly log: Log
  readonly host: RunHost
}

/** How often the lease of a process is renewed, in ms. The store's lease must be several times longer. */
const RENEW_MS = 5_000
/** How often a process looks for runs of processes that no longer exist, in ms. */
const CLAIM_MS = 1_000
const SWEEP_MS = 60_000
/** How long readers stay connected after a shutdown starts, in ms. By then, the server has stopped listening. */
const CUT_MS = 250

type RunStart = Omit<ClaimedRun, 'hasFailed' | 'crashes'>
type StepMark = ReturnType<ActiveRun['beginStep']>
type FirstAttempt = (Attempt & { readonly isBackground?: boolean }) | null

/** The runner of a process. It executes runs, renews the process's lease, and takes over runs of other processes. */
export class Runner {
  readonly process: string = randomId()
  readonly news: RunNews = new RunNews()
  readonly store: RunStore
  /** The durable agents of the app, by name. */
  readonly agents: ReadonlyMap<string, Agent>
  readonly #log: Log
  readonly #host: RunHost
  readonly #outages: Log
  readonly #writer: RunWriter
  readonly #active = new ActiveRuns()
  readonly #claims: RunClaims
  readonly #observers = new WaitingObservers()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  readonly #reported = new Set<string>()
  #joining: Promise<void> | undefined
  #draining: Promise<void> | undefined
  #closing: Promise<void> | undefined
  /** The runs that this process owns but does not execute, with the time when they were found. */
  #strays: ReadonlyMap<string, number> = new Map()

  constructor({ store, agents, log, host }: RunnerDependencies) {
    this.store = store
    this.#host = host
    this.agents = new Map(agents.map((agent) => [agent.name, agent]))
    this.#log = log
    this.#outages = throttleLog(log)
    const { process, news } = this
    const onStored = ({ id, epoch, first, chunks, end }: RunWrite): void => {
      if (chunks.length > 0) news.publish(id, { epoch, first, chunks })
      if (end !== null) news.publish(id, null)
    }
    this.#writer = new RunWriter({ store, process, log, onStored, onRejected: (id) => news.publish(id, null) })
    this.#claims = new RunClaims({ store, process, agents, log, active: this.#active, onClaimed: this.#onClaimed })
  }

  /** Starts to execute runs. Resolves when the store is ready. After a failure, the next call tries again. */
  join(): Promise<void> {
    this.#joining ??= this.#join().catch((error: unknown) => {
      this.#joining = undefined
      throw error
    })
    return this.#joining
  }

  /**
   * Creates a run and executes it, or queues it if it is not due or the process has too many active runs. If `first` is
   * null, the user is looked up by id.
   */
  async start(agent: Agent, run: Omit<NewRun, 'id' | 'agent' | 'process'>, first: FirstAttempt): Promise<CreatedRun> {
    await this.join()
    const id = randomId()
    const isBackground = first === null || first.isBackground === true
    const isDue = run.dueAt === undefined
    const canBegin = isDue && run.isInTurn !== true && this.#draining === undefined
    const reserved = { agent: agent.name, run: null, isStored: false, isBackground, crashes: 0 }
    const hasSlot = canBegin && this.#claims.freeSlots(agent, isBackground) > 0
    const entry = hasSlot ? this.#active.reserve(id, reserved) : null
    // Another caller may claim the run before `create` resolves.
    if (entry === null) this.#observers.keep(id, first?.observer)
    try {
      const created = await this.store.create({ ...run, id, agent: agent.name, process: entry && this.process })
      if (created.outcome !== 'created') this.#observers.take(id)
      if (created.outcome === 'created' && entry !== null) {
        const { userId, key, thread, input, address, trace } = run
        const begin = { id, agent: agent.name, userId, key, thread, input, address, trace, epoch: 1, kept: 0, size: 0 }
        if (first === null) this.#onClaimed({ ...begin, crashes: 0, hasFailed: false })
        else this.#executeFirst(begin, first, entry)
      } else if (isDue && entry === null) void this.#attempt(() => this.#claims.claimQueued(agent))
      return created
    } finally {
      if (entry?.run === null) this.#active.forget(id, entry)
    }
  }

  #executeFirst(run: RunStart, { span, input, observer, ...first }: Attempt, entry: ActiveEntry): void {
    const auth = first.auth && toRunAuth(run.id, first.auth)
    // A step or a transaction that called the app must not become part of the run.
    const execute = (): unknown => this.#execute(run, { auth, input, span, observer }, entry)
    runDetached(() => (span === null ? execute() : span.run(execute)))
  }

  async cancel(id: string): Promise<void> {
    await this.store.cancel(id, this.process)
    this.#onNews(id) // even if the run has already ended: the response to an earlier call may have been lost
  }

  /** Sends an event to a run, which continues if it waits for the event. */
  async send(event: SentEvent): Promise<SendOutcome> {
    await this.join()
    const outcome = await this.store.send(event, this.process)
    if (outcome === 'sent') for (const news of [event.run, '*']) this.#onNews(news)
    return outcome
  }

  /** Releases all runs, so that another process continues them, and then disconnects their readers. */
  drain(): Promise<void> {
    return (this.#draining ??= this.#drain())
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    await this.drain()
    for (const timer of this.#timers) clearTimeout(timer)
    this.#writer.close()
    this.news.close()
    if (this.#joining !== undefined) await this.#attempt(() => this.store.leave(this.process))
  }

  async #join(): Promise<void> {
    await this.store.ready()
    await this.store.join(this.process, (run) => this.#onNews(run))
    this.#repeat(RENEW_MS, () => this.#renew())
    this.#repeat(CLAIM_MS, () => this.#claims.claim())
    this.#repeat(SWEEP_MS * (0.5 + Math.random()), () => this.#sweep())
    await this.#attempt(() => this.#claims.claim())
  }

  #repeat(ms: number, work: () => Promise<void>): void {
    const timer = unref(
      setTimeout(() => {
        this.#timers.delete(timer)
        void this.#attempt(work).then(() => {
          if (this.#draining === undefined) this.#repeat(ms, work)
        })
      }, ms),
    )
    this.#timers.add(timer)
  }

  /** Calls `work`, which will be repeated later. If it fails, only logs a warning. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#outages.warn('the run store is unavailable', errorFields(error))
    }
  }

  #onNews(id: string | null): void {
    this.#active.notify(id)
    if (id === null) this.news.publishAll()
    else if (id !== '*') this.news.publish(id, null)
    // The lease may have expired while the store was unavailable.
    if (id === null) void this.#attempt(() => this.#renew()).then(() => this.#attempt(() => this.#claims.claim()))
    else if (id === '*') void this.#attempt(() => this.#claims.claim())
    // Another process has cancelled or taken over a run of this process.
    else if (this.#active.has(id)) void this.#attempt(() => this.#renew())
  }

  async #renew(): Promise<void> {
    const before = this.#active.stored()
    const owned = await this.store.renew(this.process)
    for (const [id, entry] of before) {
      if (owned.has(id)) continue
      if (entry.run === null) this.#active.forget(id, entry)
      else entry.run.stop('the run was cancelled or continues in another process')
    }
    // If a response from the store was lost, this process may own runs that it does not execute.
    // Such runs are released when they are found again later.
    const now = performance.now()
    const strays = [...owned].filter((id) => !this.#active.has(id))
    this.#strays = new Map(strays.map((id) => [id, this.#strays.get(id) ?? now]))
    const released = strays.filter((id) => now - (this.#strays.get(id) ?? now) >= RENEW_MS)
    if (released.length > 0) await this.store.release(this.process, released)
  }

  readonly #onClaimed = (run: ClaimedRun): void => {
    this.news.publish(run.id, null)
    if (run.hasFailed) return this.#notifyCaller(run)
    const { id, agent, crashes } = run
    const entry = this.#active.reserve(id, { agent, run: null, isStored: true, isBackground: true, crashes })
    void runDetached(() => this.#attempt(() => this.#resume(run, entry)))
  }

  /** Continues a run without a request. The run of a deleted user is cancelled. */
  async #resume(run: RunStart, entry: ActiveEntry): Promise<void> {
    const isCurrent = (): boolean => this.#active.isCurrent(run.id, entry)
    const auth = await this.#untilAvailable(() => findRunAuth(run, this.#host.session), isCurrent)
    if (auth === undefined) return
    if (auth === 'deleted') {
      this.#active.forget(run.id, entry)
      return this.cancel(run.id)
    }
    const observer = this.#observers.take(run.id)
    await this.#execute(run, { auth, input: { stored: run.input }, span: null, observer }, entry)
  }

  /** Executes a run, unless its entry was replaced or removed in the meantime. */
  async #execute(start: RunStart, attempt: Attempt, entry: ActiveEntry): Promise<void> {
    const { auth, input } = attempt
    const agent = this.agents.get(start.agent)
    const isCurrent = (): boolean => this.#active.isCurrent(start.id, entry)
    const finished =
      start.epoch === 1 ? new Map() : await this.#untilAvailable(() => this.store.steps(start.id), isCurrent)
    if (agent === undefined || finished === undefined || !isCurrent()) return
    if (this.#draining !== undefined) return this.#attempt(() => this.store.release(this.process, [start.id]))
    const run = new ActiveRun({ ...start, steps: finished }, this.#writer.add)
    entry.run = run
    run.onProgress = () => {
      if (entry.crashes > SUSPECT_CRASHES) void this.#attempt(() => this.#claims.claimNext())
      entry.crashes = 0
    }
    const { store, process } = this
    const send = (event: Omit<SentEvent, 'run'>): Promise<unknown> => store.send({ ...event, run: run.id }, process)
    const steps = { store, process, send, retract: (mark: StepMark) => this.#retract(run, mark) }
    const observer = attempt.observer ?? this.#host.observeRun?.(toBackgroundRun(start, auth))
    const ctx = createRunContext(run, { start, agent, auth, host: this.#host, steps, observer })
    void run.over.then(() => {
      this.#active.forget(run.id, entry)
      if (run.hasEnded) this.#notifyCaller(start)
      else this.#observers.keep(run.id, observer)
      if (start.thread !== null && agent.durable?.busy === 'queue') this.#claims.onQueued(agent)
      if (this.#claims.hasWaiting()) void this.#attempt(() => this.#claims.claimNext())
    })
    await executeRun(run, { agent, ctx, input })
  }

  /** Notifies the run that has called a run that this run has ended. */
  #notifyCaller(run: Pick<ClaimedRun, 'id' | 'key'>): void {
    const event = toEndEvent(run)
    if (event !== null) void this.#attempt(async () => void (await this.send(event)))
  }

  /** Starts a new epoch without the chunks of a failed step. */
  async #retract(run: ActiveRun, mark: StepMark): Promise<void> {
    await run.pause()
    const fence = { id: run.id, epoch: run.epoch, keep: mark.index }
    const epoch = await this.#untilAvailable(() => this.store.retract(this.process, fence))
    if (typeof epoch !== 'number') return run.stop('the run was cancelled or continues in another process')
    run.restart(mark, epoch)
    this.news.publish(run.id, null)
  }

  /** Repeats `work` until the store is available. Returns undefined if the process shuts down or the run moves first. */
  #untilAvailable<T>(work: () => Promise<T>, isCurrent = (): boolean => true): Promise<T | undefined> {
    const onFailure = (error: unknown): void =>
      this.#outages.warn('could not continue a run; retrying', errorFields(error))
    return untilAvailable(work, () => this.#draining === undefined && isCurrent(), onFailure)
  }

  async #sweep(): Promise<void> {
    for (const agent of await this.store.sweep([...this.agents.keys()])) {
      if (this.#reported.has(agent)) continue
      this.#reported.add(agent)
      this.#log.warn('runs of an unknown agent are waiting for a process that defines it', { agent })
    }
  }

  async #drain(): Promise<void> {
    this.#claims.isStopped = true
    const release = (ids: string[]): Promise<void> => this.#attempt(() => this.store.release(this.process, ids))
    await this.#active.releaseAll('the server is shutting down', release)
    if (this.news.hasSubscribers()) await delay(CUT_MS)
    this.news.close()
  }
}
