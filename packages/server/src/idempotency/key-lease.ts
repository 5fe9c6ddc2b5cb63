import type { EngineKv } from '../engine/engine-kv.ts'
import { errorFields, type Log } from '../log/log.ts'
import { unref } from '../platform/unref-timer.ts'

/** Options for `leaseKey`. */
export interface KeyLeaseOptions {
  readonly kv: EngineKv
  readonly key: string
  /** The unique value that marks the key as leased by this run. */
  readonly token: string
  /** The owner of the stored reply. If an owner has too many replies, the oldest are deleted. */
  readonly owner: string
  /** How long the lease lasts unless it is renewed, in seconds. */
  readonly leaseSeconds: number
  readonly log: Log
}

/** A key that is leased while work runs. Its methods never reject; they log errors from the store. */
export interface KeyLease {
  /** Ends the lease and stores a value for `seconds`. */
  complete(value: string, seconds: number): Promise<void>
  /** Ends the lease and deletes the key. */
  release(): Promise<void>
}

/** The number of renewals per lease period. It is greater than one, so that a lease survives a few failed renewals. */
const RENEWALS_PER_LEASE = 5

/** The maximum number of renewals. With 30 s leases, this is one hour; work that takes longer loses its key. */
const MAX_RENEWALS = 600

/** Maintains the lease on a key that already contains the token. If the process crashes, the lease expires. */
export function leaseKey({ kv, key, token, owner, leaseSeconds, log }: KeyLeaseOptions): KeyLease {
  let renewals = 0
  const timer = unref(setInterval(() => void renew(), (leaseSeconds * 1000) / RENEWALS_PER_LEASE))

  return {
    async complete(value, seconds) {
      clearInterval(timer)
      try {
        if (await kv.compareAndSet(key, { from: token, to: value, ttl: seconds, owner })) return
        log.warn('idempotency key lost while its request was running: a retry will run the handler again')
      } catch (error) {
        log.error('response could not be stored for its idempotency key', errorFields(error))
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
      log.warn(`idempotency key could not be released: it expires in ${leaseSeconds} s`, errorFields(error))
    }
  }

  async function renew(): Promise<void> {
    renewals += 1
    try {
      const isLeased = await kv.compareAndSet(key, { from: token, to: token, ttl: leaseSeconds })
      if (!isLeased || renewals >= MAX_RENEWALS) clearInterval(timer)
    } catch {
      // A later renewal may reach the store in time. If none does, `complete` logs the loss.
    }
  }
}
