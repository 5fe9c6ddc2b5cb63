import type { Agent } from '../define/agent.ts'
import type { Schedule } from '../define/schedule.ts'
import { errorFields, type Log } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import { settingsOf } from './execute-run.ts'
import type { RunSubscription } from './run-news.ts'
import type { Runner } from './runner.ts'
import { toTickKey } from './tick-key.ts'

/** The longest time between two checks, in ms, in case the clock of the store is changed. */
const MAX_WAIT_MS = 3_600_000

/** The time after which a failed check is repeated, in ms. */
const RETRY_MS = 1_000

/** The name under which the scheduler subscribes to changes that may have been missed. */
const NEWS = 'schedules'

interface ScheduledAgent {
  readonly agent: Agent
  readonly schedule: Schedule
  /** The last tick for which this process knows a run, or the time at which the schedule began. */
  last: number
  /** The next tick. */
  next: number
}

/**
 * The scheduler of a process. At each tick it starts a run whose key contains the time of the tick, so that only the
 * first of several processes creates the run. It uses only the clock of the store. If ticks were missed, only the
 * latest one is made up for.
 */
export class Scheduler {
  readonly #runner: Runner
  readonly #agents: readonly Agent[]
  readonly #log: Log
  readonly #outages: Log
  #scheduled: readonly ScheduledAgent[] | undefined
  #subscription: RunSubscription | undefined
  #isStopped = false

  constructor(runner: Runner, { agents, log }: { readonly agents: readonly Agent[]; readonly log: Log }) {
    this.#runner = runner
    this.#agents = agents
    this.#log = log
    this.#outages = throttleLog(log)
  }

  /** Starts runs according to the agents' schedules. Resolves when the scheduler is stopped. */
  async start(): Promise<void> {
    // Without schedules, the store only has to forget earlier ones.
    if (this.#agents.every(({ schedules = [] }) => schedules.length === 0))
      return void (await this.#check().catch(() => {}))
    if (this.#isStopped) return
    const subscription = (this.#subscription = this.#runner.news.subscribe(NEWS))
    while (!this.#isStopped) {
      const ms = await this.#check().catch((error: unknown) => {
        this.#outages.warn('could not check the schedules; retrying', errorFields(error))
        return RETRY_MS
      })
      if (!this.#isStopped && (await subscription.next(ms)) === 'closed') break
    }
    subscription.close()
  }

  stop(): void {
    this.#isStopped = true
    this.#runner.news.publish(NEWS, null)
    this.#subscription?.close() // now, since the runner waits for other subscribers when it shuts down
  }

  /** Starts a run for each schedule that is due. Returns the time until the next tick. */
  async #check(): Promise<number> {
    await this.#runner.join()
    const began = performance.now()
    const now = await this.#runner.store.now()
    this.#scheduled ??= await this.#begin(now)
    const due = this.#scheduled.filter((scheduled) => scheduled.next <= now)
    await Promise.all(due.map((scheduled) => this.#startDue(scheduled, now)))
    const next = Math.min(...this.#scheduled.map((scheduled) => scheduled.next))
    return Math.min(MAX_WAIT_MS, next - now - (performance.now() - began))
  }

  async #begin(now: number): Promise<ScheduledAgent[]> {
    const all = this.#agents.flatMap((agent) => (agent.schedules ?? []).map((schedule) => ({ agent, schedule })))
    const schedules = all.map(({ agent, schedule }) => ({ agent: agent.name, name: schedule.name }))
    const agents = this.#agents.map(({ name }) => name)
    const lasts = await this.#runner.store.schedules.begin({ agents, schedules, now })
    return all.map(({ agent, schedule }, index) => {
      const last = lasts[index] ?? now
      return { agent, schedule, last, next: nextOf(schedule, last) }
    })
  }

  async #startDue(scheduled: ScheduledAgent, now: number): Promise<void> {
    const { agent, schedule, last } = scheduled
    const tick = schedule.last(now, last) ?? scheduled.next
    const outcome = await this.#startRun(agent, tick)
    if (outcome === 'full')
      this.#log.warn('a scheduled run was not started: too many unfinished runs', { agent: agent.name })
    scheduled.last = tick
    scheduled.next = nextOf(schedule, now)
    await this.#runner.store.schedules.record({ agent: agent.name, name: schedule.name }, tick)
  }

  async #startRun(agent: Agent, tick: number): Promise<string> {
    const { name } = agent
    const owner = { userId: null, caller: `schedule ${name}`, address: '', trace: null, thread: null }
    const run = { ...owner, ...settingsOf(agent), key: toTickKey(name, tick), print: '', input: null }
    const created = await this.#runner.start(agent, run, { auth: null, input: { stored: null }, span: null })
    return created.outcome
  }
}

function nextOf(schedule: Schedule, after: number): number {
  return schedule.next(after) ?? Number.POSITIVE_INFINITY
}
