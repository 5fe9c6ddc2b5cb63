import type { RatePolicy } from '@sdk/protocol'
import { gcra, type RateDecision } from './gcra.ts'

/** Quotas that are whole again are forgotten when a policy keeps this many. */
const MIN_EXPIRE_COUNT = 10_000

/** What one policy has granted: when each key's quota is whole again. */
interface PolicyUsage {
  readonly fullAt: Map<string, number>
  expireAtCount: number
}

/** Quotas of one process, kept in its memory. */
export function createMemoryQuotas(now: () => number): (key: string, cost: number, policy: RatePolicy) => RateDecision {
  const policies = new Map<string, PolicyUsage>()
  return (key, cost, policy) => {
    let granted = policies.get(policy.name)
    if (granted === undefined)
      policies.set(policy.name, (granted = { fullAt: new Map(), expireAtCount: MIN_EXPIRE_COUNT }))
    const at = now()
    const decision = gcra(policy, { now: at, fullAt: granted.fullAt.get(key) }, cost)
    granted.fullAt.set(key, decision.fullAt)
    if (granted.fullAt.size >= granted.expireAtCount) removeWhole(granted, at)
    return decision
  }
}

/** A quota that is whole again is the same as none, so memory holds only callers of the last window. */
function removeWhole(granted: PolicyUsage, at: number): void {
  for (const [key, fullAt] of granted.fullAt) if (fullAt <= at) granted.fullAt.delete(key)
  granted.expireAtCount = Math.max(MIN_EXPIRE_COUNT, granted.fullAt.size * 2)
}
