/** So many units in so many seconds: also the largest burst. */
export interface Quota {
  readonly quota: number
  /** In seconds. */
  readonly window: number
}

/** What became of a request for units. */
export interface RateDecision {
  readonly allowed: boolean
  /** Units that are left now. */
  readonly remaining: number
  /** Seconds until there is one unit more. */
  readonly reset: number
}

/**
 * The generic cell rate algorithm: a token bucket kept in one number, the time at which it is full again.
 * Unlike a fixed window it lets no double burst through around an edge.
 */
export function gcra(
  policy: Quota,
  at: { now: number; fullAt: number | undefined },
  cost = 1,
): RateDecision & { fullAt: number } {
  const { now, fullAt } = at
  const interval = (policy.window * 1000) / policy.quota
  const capacity = policy.window * 1000
  const before = Math.max(fullAt ?? now, now)
  const after = before + cost * interval
  const allowed = after - now <= capacity + 1e-6 // what fractions of a millisecond add up to
  const kept = allowed ? after : before
  const remaining = Math.max(0, Math.floor((capacity - (kept - now)) / interval + 1e-9))
  const wait = allowed ? interval : after - now - capacity
  return { allowed, remaining, reset: Math.max(1, Math.ceil(wait / 1000)), fullAt: kept }
}
