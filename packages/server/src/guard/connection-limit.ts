import type { SocketLimits } from '../socket/limits.ts'
import type { RateLimitKeys } from './rate-limit.ts'
import { httpError } from '../http/http-error.ts'

/** Limits the open connections of an address and of a user. */
export interface ConnectionLimiter {
  /** Throws where an address has as many connections as it may have; `user` is null where nobody is signed in. */
  assertAvailable(address: string, user: string | null): void
  /** Counts a connection, or throws; returns a function that releases it. */
  acquire(counted: RateLimitKeys, isUser: boolean): () => void
}

/** Creates the limiter of one process. */
export function createConnectionLimiter({
  perAddress,
  perUser,
}: Pick<Required<SocketLimits>, 'perAddress' | 'perUser'>): ConnectionLimiter {
  const taken = new Map<string, number>()

  function assertFree(address: string, user: string | null): void {
    assertBelow(address, perAddress)
    if (user !== null) assertBelow(user, perUser)
  }

  function assertBelow(key: string, limit: number): void {
    if ((taken.get(key) ?? 0) < limit) return
    throw httpError('TOO_MANY_REQUESTS', `more than ${limit} open connections`, { retryAfter: 5 })
  }

  function add(key: string, difference: 1 | -1): void {
    const count = (taken.get(key) ?? 0) + difference
    if (count === 0) taken.delete(key)
    else taken.set(key, count)
  }

  return {
    assertAvailable: assertFree,
    acquire({ networkKey: address, rateLimitKey }, isUser) {
      assertFree(address, isUser ? rateLimitKey : null)
      const keys = isUser ? [address, rateLimitKey] : [address]
      for (const key of keys) add(key, 1)
      let isTaken = true
      return () => {
        if (isTaken) for (const key of keys) add(key, -1)
        isTaken = false
      }
    },
  }
}
