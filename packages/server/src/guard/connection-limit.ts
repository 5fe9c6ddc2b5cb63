import type { SocketLimits } from '../socket/limits.ts'
import type { Counted } from './rate-limit.ts'
import { refuse } from '../http/http-error.ts'

/** Counts who is connected. */
export interface Seats {
  /** Throws where an address has as many connections as it may have; `user` is null where nobody is signed in. */
  assertFree(address: string, user: string | null): void
  /** Takes a seat, or throws; gives how to leave it. */
  take(counted: Counted, isUser: boolean): () => void
}

/** Seats for the connections of one process. */
export function createSeats({ perAddress, perUser }: Pick<Required<SocketLimits>, 'perAddress' | 'perUser'>): Seats {
  const taken = new Map<string, number>()

  function assertFree(address: string, user: string | null): void {
    assertBelow(address, perAddress)
    if (user !== null) assertBelow(user, perUser)
  }

  function assertBelow(key: string, limit: number): void {
    if ((taken.get(key) ?? 0) < limit) return
    throw refuse('TOO_MANY_REQUESTS', `more than ${limit} open connections`, { retryAfter: 5 })
  }

  function add(key: string, difference: 1 | -1): void {
    const count = (taken.get(key) ?? 0) + difference
    if (count === 0) taken.delete(key)
    else taken.set(key, count)
  }

  return {
    assertFree,
    take({ address, caller }, isUser) {
      assertFree(address, isUser ? caller : null)
      const keys = isUser ? [address, caller] : [address]
      for (const key of keys) add(key, 1)
      let isTaken = true
      return () => {
        if (isTaken) for (const key of keys) add(key, -1)
        isTaken = false
      }
    },
  }
}
