/** The number of units per window, which is also the largest burst allowed. */
export interface Quota {
  readonly quota: number
  /** The length of the window, in seconds. */
  readonly window: number
}

/** The result of a request for units. */
export interface RateDecision {
  readonly allowed: boolean
  /** The number of remaining units. */
  readonly remaining: number
  /** Seconds until one more unit is available. */
  readonly reset: number
}

/**
 * Applies the generic cell rate algorithm: a token bucket stored as one number, the time at which it is full again.
 * Unlike a fixed window, it does not allow a double burst at the boundary between two windows.
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
  const allowed = after - now <= capacity + 1e-6 // tolerates rounding errors
  const kept = allowed ? after : before
  const remaining = Math.max(0, Math.floor((capacity - (kept - now)) / interval + 1e-9))
  const wait = allowed ? interval : after - now - capacity
  return { allowed, remaining, reset: Math.max(1, Math.ceil(wait / 1000)), fullAt: kept }
}
