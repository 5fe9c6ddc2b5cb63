import type { RatePolicy } from '@sdk/protocol'
import type { RateDecision } from '../gcra.ts'

/** The result of a `GrantRequest`. */
export interface Grant {
  /** The number of units granted, at most `wanted`; 0 if the quota is exhausted. */
  readonly granted: number
  /** Milliseconds until the quota is full again. */
  readonly fullIn: number
}

/** The store for shared quotas. Implemented by each engine driver. */
export interface QuotaStore {
  /** Takes units from quotas; each request is atomic. Only one request per policy and key is pending at a time. */
  grant(requests: readonly GrantRequest[]): Promise<readonly Grant[]>
}

/** A process's request to lease units. A negative `wanted` returns units. */
export interface GrantRequest {
  readonly key: string
  readonly policy: RatePolicy
  readonly wanted: number
}

interface QuotaLeaseOptions extends Omit<GrantRequest, 'wanted'> {
  readonly store: QuotaStore
  readonly now: () => number
}

/** The fraction of a quota that a process may lease in advance. */
const SHARE = 1 / 60
/** If a batch is used up within this time, in ms, the caller counts as busy and the next batch is larger. */
const BUSY_MS = 1_000
/** How long a caller is rejected without checking the store, in ms. Short, since other processes may return units. */
const RECHECK_MS = 1_000

/** One process's lease on one caller's quota. It sends one request at a time to the store. */
export class QuotaLease {
  readonly #options: QuotaLeaseOptions
  /** The maximum number of units to hold. */
  readonly #maxHeld: number
  /** Units that were granted but not yet used. */
  left = 0
  /** Units needed by pending `take` calls. */
  #waiting = 0
  /** The minimum number of units to request. */
  #batchSize = 1
  /** Units that remain in the store. */
  #remaining: number
  /** The time until which the quota is known to be exhausted. */
  #emptyUntil = 0
  /** The time before which no further request is sent to the store. */
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
    // Keep returned units for later requests, up to the maximum that this process may hold.
    this.left -= cost
    if (this.left > this.#maxHeld) void this.giveBack(this.#maxHeld)
    return this.#toDecision(true)
  }

  isIdleFor(ms: number): boolean {
    return this.#requesting === null && this.#options.now() - this.#usedAt > ms
  }

  /** Returns all but `keep` units to the store, after any pending request has finished. */
  async giveBack(keep: number): Promise<void> {
    await this.#requesting?.catch(() => undefined) // the rejection reaches the caller of `take`
    if (this.left <= keep || this.#requesting !== null) return
    const surplus = this.left - keep
    this.left = keep
    // A failure is ignored: the quota refills over time even if the units are not returned.
    await (this.#requesting = this.#grant(-surplus, -surplus).catch(() => undefined))
  }

  /** Decides without contacting the store, if possible. Returns undefined if a request to the store is needed. */
  #decide(cost: number): RateDecision | undefined {
    if (this.left >= cost) {
      this.left -= cost
      return this.#toDecision(true)
    }
    // Until the quota refills, another request would not help.
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
    await Promise.resolve() // batches calls from the same tick
    const { now } = this.#options
    const missing = this.#waiting - this.left
    // The last batch was used up quickly, so double the next one.
    this.#batchSize = now() - this.#requestedAt < BUSY_MS ? Math.min(this.#maxHeld, this.#batchSize * 2) : 1
    this.#requestedAt = now()
    await this.#grant(Math.max(missing, this.#batchSize), missing)
  }

  async #grant(wanted: number, missing: number): Promise<void> {
    const { key, policy, store } = this.#options
    try {
      const [grant] = await store.grant([{ key, policy, wanted }])
      if (grant === undefined) throw new Error('the quota store returned no grant')
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
