import type { RatePolicy } from '@sdk/protocol'
import type { Engine } from '../engine.ts'
import { unref } from '../../platform/unref-timer.ts'
import { QuotaLease, type QuotaStore } from './quota-lease.ts'

/** Quotas that are shared between processes. */
export interface LeasedQuotas {
  readonly take: NonNullable<Engine['take']>
  /** Returns all unused units to the store. */
  close(): Promise<void>
}

/** The idle time after which unused units are returned, in ms. */
const IDLE_MS = 1_000

/**
 * Creates quotas on top of a store. Units for frequent callers are leased in advance, so that most requests are decided
 * without a round trip. A caller's first request leases only the units that it needs.
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

  /** Returns the unused units of idle callers to the store. A later sweep deletes their leases. */
  function sweep(): void {
    for (const [name, lease] of leases) {
      if (!lease.isIdleFor(IDLE_MS)) continue
      if (lease.left > 0) void lease.giveBack(0)
      else leases.delete(name)
    }
    if (leases.size === 0) clearInterval(timer)
  }
}
