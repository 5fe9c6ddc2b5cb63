import type { EngineKv } from '../engine/engine-kv.ts'
import { errorFields, type Log } from '../log/log.ts'
import { unref } from '../platform/unref-timer.ts'

/** What a hold is made of. */
export interface KeyLeaseOptions {
  readonly kv: EngineKv
  readonly key: string
  /** The value by which the key is ours; nobody else writes the same. */
  readonly token: string
  /** For whom the kept answer counts: an owner who has too many loses the oldest. */
  readonly owner: string
  /** Seconds after which the key is free when nobody renews the hold. */
  readonly leaseSeconds: number
  readonly log: Log
}

/** A key that is held while work runs. Its methods do not reject: a store that is down is heard of in the log. */
export interface KeyLease {
  /** Ends the hold with a value that stays for so many seconds. */
  complete(value: string, seconds: number): Promise<void>
  /** Ends the hold and lets others have the key. */
  release(): Promise<void>
}

/** A hold is renewed this often in each `holdFor`, so that some may fail. */
const RENEWALS_PER_LEASE = 5

/** So many renewals at most: an hour, with holds of 30 s. Work that takes longer loses its key. */
const MAX_RENEWALS = 600

/** Holds a key that already has our mark. A process that dies renews nothing, so that the key comes free. */
export function leaseKey({ kv, key, token, owner, leaseSeconds, log }: KeyLeaseOptions): KeyLease {
  let renewals = 0
  const timer = unref(setInterval(() => void renew(), (leaseSeconds * 1000) / RENEWALS_PER_LEASE))

  return {
    async complete(value, seconds) {
      clearInterval(timer)
      try {
        if (await kv.compareAndSet(key, { from: token, to: value, ttl: seconds, owner })) return
        log.warn('an idempotency key was lost while its request ran: a repetition would run again')
      } catch (error) {
        log.error('an answer could not be kept for its idempotency key', errorFields(error))
        await release()
      }
    },
    release,
  }

  async function release(): Promise<void> {
    clearInterval(timer)
    try {
      await kv.compareAndSet(key, { from: token, to: null })
    } catch (error) {
      log.warn(`an idempotency key comes free only in ${leaseSeconds} s`, errorFields(error))
    }
  }

  async function renew(): Promise<void> {
    renewals += 1
    try {
      const isOurs = await kv.compareAndSet(key, { from: token, to: token, ttl: leaseSeconds })
      if (!isOurs || renewals >= MAX_RENEWALS) clearInterval(timer)
    } catch {
      // The next one may reach the store in time; if none does, `keep` says what became of it.
    }
  }
}
