import type { RatePolicy } from '@sdk/protocol'
import { gcra, type RateDecision } from './gcra.ts'

/** Quotas that are whole again are forgotten when a policy keeps this many. */
const SWEEP_AT = 10_000

/** What one policy has granted: when each key's quota is whole again. */
interface Granted {
  readonly fullAt: Map<string, number>
  sweepAt: number
}

/** Quotas of one process, kept in its memory. */
export function createQuotas(now: () => number): (key: string, cost: number, policy: RatePolicy) => RateDecision {
  const policies = new Map<string, Granted>()
  return (key, cost, policy) => {
    let granted = policies.get(policy.name)
    if (granted === undefined) policies.set(policy.name, (granted = { fullAt: new Map(), sweepAt: SWEEP_AT }))
    const at = now()
    const decision = gcra(policy, { now: at, fullAt: granted.fullAt.get(key) }, cost)
    granted.fullAt.set(key, decision.fullAt)
    if (granted.fullAt.size >= granted.sweepAt) sweep(granted, at)
    return decision
  }
}

/** A quota that is whole again is the same as none, so memory holds only callers of the last window. */
function sweep(granted: Granted, at: number): void {
  for (const [key, fullAt] of granted.fullAt) if (fullAt <= at) granted.fullAt.delete(key)
  granted.sweepAt = Math.max(SWEEP_AT, granted.fullAt.size * 2)
}
