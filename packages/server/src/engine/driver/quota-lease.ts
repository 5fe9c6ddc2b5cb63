import type { Grant, QuotaStore } from './quota-store.ts'
import type { RatePolicy } from '@sdk/protocol'
import type { RateDecision } from '../gcra.ts'

/** What a lease works with. */
export interface QuotaLeaseParts {
  readonly key: string
  readonly policy: RatePolicy
  readonly store: QuotaStore
  readonly now: () => number
}

/** The part of a quota that a process may hold for later. */
const SHARE = 1 / 60
/** A caller who needs more units within so many ms is busy: more are fetched at once. */
const BUSY_MS = 1_000
/**
 * The store is asked again for a refused caller after so many ms at most: another process may have given units back.
 */
const DOUBT_MS = 1_000

/** What one process has of one caller's quota. It asks its store one thing at a time. */
export class QuotaLease {
  readonly #parts: QuotaLeaseParts
  /** Units to hold at most. */
  readonly #most: number
  /** Units that were granted and not used. */
  left = 0
  /** Units that wait to be granted. */
  #waiting = 0
  /** How many units to ask for at least. */
  #size = 1
  /** Units that others may have. */
  #remaining: number
  /** Until then there is nothing to be had, as far as is known. */
  #emptyUntil = 0
  /** Until then the store is not asked again. */
  #sureUntil = 0
  #askedAt = -Infinity
  #usedAt = 0
  #asking: Promise<void> | null = null

  constructor(parts: QuotaLeaseParts) {
    this.#parts = parts
    this.#most = Math.max(1, Math.floor(parts.policy.quota * SHARE))
    this.#remaining = parts.policy.quota
  }

  take(cost: number): RateDecision | Promise<RateDecision> {
    this.#usedAt = this.#parts.now()
    if (cost > 0) return this.#decide(cost) ?? this.#askFor(cost)
    // Units that are given back serve the next request, as far as they may be held.
    this.left -= cost
    if (this.left > this.#most) void this.giveBack(this.#most)
    return this.#toDecision(true)
  }

  isIdleFor(ms: number): boolean {
    return this.#asking === null && this.#parts.now() - this.#usedAt > ms
  }

  /** Gives back all but so many units; settles when nothing is asked of the store any more. */
  async giveBack(keep: number): Promise<void> {
    await this.#asking?.catch(() => undefined) // who asked is told
    if (this.left <= keep || this.#asking !== null) return
    const surplus = this.left - keep
    this.left = keep
    await (this.#asking = this.#grant(-surplus, -surplus).catch(() => undefined)) // they come back with time
  }

  /** What can be said at once; undefined where the store must be asked. */
  #decide(cost: number): RateDecision | undefined {
    if (this.left >= cost) {
      this.left -= cost
      return this.#toDecision(true)
    }
    // Before there is more, to ask the store again would not help.
    return this.#parts.now() < this.#sureUntil ? this.#toDecision(false) : undefined
  }

  async #askFor(cost: number): Promise<RateDecision> {
    this.#waiting += cost
    try {
      for (;;) {
        await (this.#asking ??= this.#ask())
        const decision = this.#decide(cost)
        if (decision !== undefined) return decision
      }
    } finally {
      this.#waiting -= cost
    }
  }

  async #ask(): Promise<void> {
    await Promise.resolve() // those who come in one turn ask together
    const { now } = this.#parts
    const missing = this.#waiting - this.left
    // Used up within a moment: next time twice as many.
    this.#size = now() - this.#askedAt < BUSY_MS ? Math.min(this.#most, this.#size * 2) : 1
    this.#askedAt = now()
    await this.#grant(Math.max(missing, this.#size), missing)
  }

  async #grant(wanted: number, missing: number): Promise<void> {
    const { key, policy, store } = this.#parts
    try {
      const [grant] = await store.grant([{ key, policy, wanted }])
      if (grant === undefined) throw new Error('the store of quotas gave no answer')
      this.#accept(grant, missing)
    } finally {
      this.#asking = null
    }
  }

  #accept({ granted, fullIn }: Grant, missing: number): void {
    const { policy, now } = this.#parts
    const step = (policy.window * 1000) / policy.quota
    const free = policy.window * 1000 - Math.max(0, fullIn)
    this.left += Math.max(0, granted)
    this.#remaining = Math.max(0, Math.floor(free / step + 1e-9))
    if (granted >= missing) return
    this.#emptyUntil = now() + Math.max(1, step - free)
    this.#sureUntil = Math.min(this.#emptyUntil, now() + DOUBT_MS)
  }

  #toDecision(allowed: boolean): RateDecision {
    const { policy, now } = this.#parts
    const wait = allowed ? (policy.window * 1000) / policy.quota : this.#emptyUntil - now()
    return { allowed, remaining: this.left + this.#remaining, reset: Math.max(1, Math.ceil(wait / 1000)) }
  }
}
