import type { RatePolicy } from '@sdk/protocol'
import type { Engine } from '../engine.ts'
import { unref } from '../../platform/unref-timer.ts'
import { QuotaLease, type QuotaStore } from './quota-lease.ts'

/** Quotas that processes share. */
export interface LeasedQuotas {
  readonly take: NonNullable<Engine['take']>
  /** Gives back what is left. */
  close(): Promise<void>
}

/** After so many ms without use, what is left goes back. */
const IDLE_MS = 1_000

/**
 * Quotas over a store. A caller who comes often has some units fetched ahead of time, so that most requests are
 * decided without asking; the first one of a caller is asked for alone.
 */
export function createLeasedQuotas(store: QuotaStore, now: () => number = () => performance.now()): LeasedQuotas {
  const leases = new Map<string, QuotaLease>()
  let timer: ReturnType<typeof setInterval> | undefined
  let isClosed = false

  return {
    take: (key, cost, policy) => open(key, policy).take(cost),
    async close() {
      isClosed = true
      clearInterval(timer)
      await Promise.all(Array.from(leases.values(), (lease) => lease.giveBack(0)))
      leases.clear()
    },
  }

  function open(key: string, policy: RatePolicy): QuotaLease {
    const name = `${policy.name} ${key}`
    const known = leases.get(name)
    if (known !== undefined) return known
    const lease = new QuotaLease({ key, policy, store, now })
    leases.set(name, lease)
    if (leases.size === 1 && !isClosed) timer = unref(setInterval(sweep, IDLE_MS / 2))
    return lease
  }

  /** Gives back the units that are held for callers who have not come for a moment, and then forgets these callers. */
  function sweep(): void {
    for (const [name, lease] of leases) {
      if (!lease.isIdleFor(IDLE_MS)) continue
      if (lease.left > 0) void lease.giveBack(0)
      else leases.delete(name)
    }
    if (leases.size === 0) clearInterval(timer)
  }
}
