import type { Agent } from '../define/agent.ts'
import type { Log } from '../log/log.ts'
import type { ActiveRuns } from './active-runs.ts'
import { SUSPECT_CRASHES } from './run-limits.ts'
import type { ClaimedRun, RunStore } from './store/run-store.ts'

/** The maximum number of runs that one statement claims. */
const MAX_CLAIMED = 100

/** The maximum number of runs without a request that a process executes. Requests have limits of their own. */
const MAX_BACKGROUND = 1_000

/** The maximum number of runs that a process executes at once after `SUSPECT_CRASHES` crashes, and after one more. */
const MAX_SUSPECTS = { few: 10, one: 1 } as const

interface RunClaimsDependencies {
  readonly store: Pick<RunStore, 'claim'>
  readonly process: string
  readonly agents: readonly Agent[]
  readonly log: Log
  readonly active: ActiveRuns
  /** Called for each claimed run. It must add the run to `active` immediately. */
  onClaimed(run: ClaimedRun): void
}

/** Agents whose runs are claimed together: one agent with a limit, or all agents without one. */
interface ClaimGroup {
  readonly agents: readonly Agent[]
  /** Whether the store may have more runs than there were free slots. */
  hasMore: boolean
  /** The number of slots that are reserved for the runs of a claim in progress. */
  reserved: number
}

/** The claims of a process. They take over as many runs as the process has free slots. */
export class RunClaims {
  readonly #dependencies: RunClaimsDependencies
  readonly #groups: readonly ClaimGroup[]
  readonly #wanted = new Set<ClaimGroup>()
  #isWorking = false
  isStopped = false

  constructor(dependencies: RunClaimsDependencies) {
    this.#dependencies = dependencies
    const isUnlimited = ({ durable }: Agent): boolean => durable?.concurrency === Number.POSITIVE_INFINITY
    const unlimited = dependencies.agents.filter(isUnlimited)
    const limited = dependencies.agents.filter((agent) => !isUnlimited(agent)).map((agent) => [agent])
    const groups = unlimited.length === 0 ? limited : [unlimited, ...limited]
    this.#groups = groups.map((agents) => ({ agents, hasMore: false, reserved: 0 }))
  }

  /** Returns how many runs of an agent the process can begin, those of requests or those in the background. */
  freeSlots(agent: Agent, isBackground: boolean): number {
    const { active } = this.#dependencies
    const reserved = this.#groups.find(({ agents }) => agents.includes(agent))?.reserved ?? 0
    const free = (agent.durable?.concurrency ?? Number.POSITIVE_INFINITY) - active.count(agent.name) - reserved
    return isBackground ? Math.min(free, MAX_BACKGROUND - active.background) : free
  }

  /** Claims runs of all agents, as long as there are more and the process has free slots. */
  claim(): Promise<void> {
    return this.#claim(this.#groups)
  }

  /** Returns whether runs may be waiting for a free slot. */
  hasWaiting(): boolean {
    return this.#groups.some(({ hasMore }) => hasMore)
  }

  /** Claims runs that had to wait for a free slot. */
  claimNext(): Promise<void> {
    return this.#claim(this.#groups.filter(({ hasMore }) => hasMore))
  }

  /** Marks an agent that has queued a run, so that the run is claimed when another one is over. */
  onQueued(agent: Agent): void {
    for (const group of this.#groups) if (group.agents.includes(agent)) group.hasMore = true
  }

  /** Claims runs if there are free slots, after a run of this agent has been queued. */
  claimQueued(agent: Agent): Promise<void> {
    this.onQueued(agent)
    return this.claimNext()
  }

  async #claim(groups: readonly ClaimGroup[]): Promise<void> {
    // A run may be queued while the previous claim is in progress.
    for (const group of groups) this.#wanted.add(group)
    if (this.#isWorking) return
    this.#isWorking = true
    try {
      for (let [group] = this.#wanted; group !== undefined && !this.isStopped; [group] = this.#wanted) {
        this.#wanted.delete(group)
        await this.#claimGroup(group)
      }
    } finally {
      this.#isWorking = false
    }
  }

  async #claimGroup(group: ClaimGroup): Promise<void> {
    const { store, process, log, active, onClaimed } = this.#dependencies
    const limit = Math.min(MAX_CLAIMED, ...group.agents.map((agent) => this.freeSlots(agent, true)))
    const agents = group.agents.map(({ name }) => name)
    const [few, one] = [SUSPECT_CRASHES + 1, SUSPECT_CRASHES + 2].map((crashes) => active.countCrashed(crashes))
    const suspects = [MAX_SUSPECTS.few - (few ?? 0), MAX_SUSPECTS.one - (one ?? 0)] as const
    group.reserved = Math.max(0, limit)
    const claiming = limit <= 0 ? [] : store.claim(process, { agents, limit, suspects })
    const claimed = await Promise.resolve(claiming).finally(() => (group.reserved = 0))
    for (const run of claimed) {
      const { id, agent, hasFailed } = run
      if (hasFailed)
        log.error('a run failed with RUN_CRASHES: its processes crashed again and again', { agent, run: id })
      onClaimed(run)
    }
    const isFull = claimed.length >= limit
    // While a run is executed that has crashed before, others like it may be waiting.
    group.hasMore = isFull || active.hasSuspects()
    if (isFull && limit > 0) this.#wanted.add(group)
  }
}
