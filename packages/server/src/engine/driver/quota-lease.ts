import type { RatePolicy } from '@sdk/protocol'
import type { RateDecision } from '../gcra.ts'

/** What it got. */
export interface Grant {
  /** At most what was wanted; none where the quota is used up. */
  readonly granted: number
  /** Milliseconds until the quota is whole again. */
  readonly fullIn: number
}

/** Where quotas are kept that processes share: what a driver brings along. */
export interface QuotaStore {
  /** Takes units out of quotas, each in one step; of a policy and key, one request is under way at a time. */
  grant(requests: readonly GrantRequest[]): Promise<readonly Grant[]>
}

/** Units that a process asks for, to give them out by itself; fewer than none gives some back. */
export interface GrantRequest {
  readonly key: string
  readonly policy: RatePolicy
  readonly wanted: number
}

interface QuotaLeaseOptions extends Omit<GrantRequest, 'wanted'> {
  readonly store: QuotaStore
  readonly now: () => number
}

/** The part of a quota that a process may hold for later. */
const SHARE = 1 / 60
/** A caller who needs more units within so many ms is busy: more are fetched at once. */
const BUSY_MS = 1_000
/** The store is asked again for a refused caller after so many ms at most: another process may have given units back. */
const RECHECK_MS = 1_000

/** What one process has of one caller's quota. It asks its store one thing at a time. */
export class QuotaLease {
  readonly #options: QuotaLeaseOptions
  /** Units to hold at most. */
  readonly #maxHeld: number
  /** Units that were granted and not used. */
  left = 0
  /** Units that wait to be granted. */
  #waiting = 0
  /** How many units to ask for at least. */
  #batchSize = 1
  /** Units that others may have. */
  #remaining: number
  /** Until then there is nothing to be had, as far as is known. */
  #emptyUntil = 0
  /** Until then the store is not asked again. */
  #recheckAt = 0
  #requestedAt = -Infinity
  #usedAt = 0
  #requesting: Promise<void> | null = null

  constructor(options: QuotaLeaseOptions) {
    this.#options = options
    this.#maxHeld = Math.max(1, Math.floor(options.policy.quota * SHARE))
    this.#remaining = options.policy.quota
  }

  take(cost: number): RateDecision | Promise<RateDecision> {
    this.#usedAt = this.#options.now()
    if (cost > 0) return this.#decide(cost) ?? this.#takeFromStore(cost)
    // Units that are given back serve the next request, as far as they may be held.
    this.left -= cost
    if (this.left > this.#maxHeld) void this.giveBack(this.#maxHeld)
    return this.#toDecision(true)
  }

  isIdleFor(ms: number): boolean {
    return this.#requesting === null && this.#options.now() - this.#usedAt > ms
  }

  /** Gives back all but so many units; settles when nothing is asked of the store any more. */
  async giveBack(keep: number): Promise<void> {
    await this.#requesting?.catch(() => undefined) // who asked is told
    if (this.left <= keep || this.#requesting !== null) return
    const surplus = this.left - keep
    this.left = keep
    await (this.#requesting = this.#grant(-surplus, -surplus).catch(() => undefined)) // they come back with time
  }

  /** What can be said at once; undefined where the store must be asked. */
  #decide(cost: number): RateDecision | undefined {
    if (this.left >= cost) {
      this.left -= cost
      return this.#toDecision(true)
    }
    // Before there is more, to ask the store again would not help.
    return this.#options.now() < this.#recheckAt ? this.#toDecision(false) : undefined
  }

  async #takeFromStore(cost: number): Promise<RateDecision> {
    this.#waiting += cost
    try {
      for (;;) {
        await (this.#requesting ??= this.#request())
        const decision = this.#decide(cost)
        if (decision !== undefined) return decision
      }
    } finally {
      this.#waiting -= cost
    }
  }

  async #request(): Promise<void> {
    await Promise.resolve() // those who come in one turn ask together
    const { now } = this.#options
    const missing = this.#waiting - this.left
    // Used up within a moment: next time twice as many.
    this.#batchSize = now() - this.#requestedAt < BUSY_MS ? Math.min(this.#maxHeld, this.#batchSize * 2) : 1
    this.#requestedAt = now()
    await this.#grant(Math.max(missing, this.#batchSize), missing)
  }

  async #grant(wanted: number, missing: number): Promise<void> {
    const { key, policy, store } = this.#options
    try {
      const [grant] = await store.grant([{ key, policy, wanted }])
      if (grant === undefined) throw new Error('the store of quotas gave no answer')
      this.#accept(grant, missing)
    } finally {
      this.#requesting = null
    }
  }

  #accept({ granted, fullIn }: Grant, missing: number): void {
    const { policy, now } = this.#options
    const step = (policy.window * 1000) / policy.quota
    const free = policy.window * 1000 - Math.max(0, fullIn)
    this.left += Math.max(0, granted)
    this.#remaining = Math.max(0, Math.floor(free / step + 1e-9))
    if (granted >= missing) return
    this.#emptyUntil = now() + Math.max(1, step - free)
    this.#recheckAt = Math.min(this.#emptyUntil, now() + RECHECK_MS)
  }

  #toDecision(allowed: boolean): RateDecision {
    const { policy, now } = this.#options
    const wait = allowed ? (policy.window * 1000) / policy.quota : this.#emptyUntil - now()
    return { allowed, remaining: this.left + this.#remaining, reset: Math.max(1, Math.ceil(wait / 1000)) }
  }
}
