import type { RatePolicy } from '@sdk/protocol'
import type { RateDecision } from '../gcra.ts'
import type { Grant, GrantRequest, QuotaStore } from './leased-quotas.ts'

/** What a lease works with. */
export interface QuotaLeaseParts {
  readonly key: string
  readonly policy: RatePolicy
  readonly store: QuotaStore
  readonly now: () => number
}

/** The part of a quota that a process may hold for later. */
const SHARE = 1 / 60
/** Asked again within so many ms, a caller is busy. */
const BUSY_MS = 1_000

/** What one process has of one caller's quota. */
export class QuotaLease {
  readonly #parts: QuotaLeaseParts
  /** Units that were granted and not used. */
  left = 0
  /** Units that wait to be granted. */
  #waiting = 0
  /** How many units to ask for at least. */
  #size = 1
  /** Units that others may have. */
  #remaining: number
  /** Until then there is nothing to be had. */
  #emptyUntil = 0
  #askedAt = -Infinity
  #usedAt = 0
  #asking: Promise<void> | null = null

  constructor(parts: QuotaLeaseParts) {
    this.#parts = parts
    this.#remaining = parts.policy.quota
  }

  take(cost: number): RateDecision | Promise<RateDecision> {
    this.#usedAt = this.#parts.now()
    if (cost > 0) return this.#decide(cost) ?? this.#askFor(cost)
    // What is given back is the next one's.
    this.left -= cost
    return this.#toDecision(true)
  }

  isIdleFor(ms: number): boolean {
    return this.#asking === null && this.#parts.now() - this.#usedAt > ms
  }

  /** What gives back all that is left. */
  toReturn(): GrantRequest {
    const { key, policy } = this.#parts
    return { key, policy, wanted: -this.left }
  }

  /** What can be said at once; undefined where the store must be asked. */
  #decide(cost: number): RateDecision | undefined {
    if (this.left >= cost) {
      this.left -= cost
      return this.#toDecision(true)
    }
    // Who is refused is not better off by asking before there is more.
    return this.#parts.now() < this.#emptyUntil ? this.#toDecision(false) : undefined
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
    const { key, policy, store, now } = this.#parts
    const waiting = this.#waiting
    const most = Math.max(1, Math.floor(policy.quota * SHARE))
    // Used up within a moment: next time twice as many.
    this.#size = now() - this.#askedAt < BUSY_MS ? Math.min(most, this.#size * 2) : 1
    this.#askedAt = now()
    try {
      const [grant] = await store.grant([{ key, policy, wanted: Math.max(waiting, this.#size) }])
      if (grant !== undefined) this.#accept(grant, waiting)
    } finally {
      this.#asking = null
    }
  }

  #accept({ granted, fullIn }: Grant, waiting: number): void {
    const { policy, now } = this.#parts
    const step = (policy.window * 1000) / policy.quota
    const free = policy.window * 1000 - Math.max(0, fullIn)
    this.left += granted
    this.#remaining = Math.max(0, Math.floor(free / step + 1e-9))
    if (granted < waiting) this.#emptyUntil = now() + Math.max(1, step - free)
  }

  #toDecision(allowed: boolean): RateDecision {
    const { policy, now } = this.#parts
    const wait = allowed ? (policy.window * 1000) / policy.quota : this.#emptyUntil - now()
    return { allowed, remaining: this.left + this.#remaining, reset: Math.max(1, Math.ceil(wait / 1000)) }
  }
}
