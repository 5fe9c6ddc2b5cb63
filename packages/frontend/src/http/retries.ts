import type { ApiError } from '@sdk/protocol'
import { backoffDelay } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import { toNetworkError } from './to-api-error.ts'

/** What decides whether a request is sent again. */
export interface RetryPolicy {
  method: string
  /** With an `Idempotency-Key` the server does a repeated write only once. */
  headers: Headers
  /** At most so many retries. */
  retry: number
}

/** Options of `withRetries`. */
export interface RetryOptions extends RetryPolicy {
  clock: Clock
  signal: AbortSignal
}

/** Where a server asks for a longer wait, in seconds, the call rejects and the caller decides. */
const MAX_RETRY_AFTER = 60

/**
 * The wait in ms before the next attempt, undefined where there must be none. Servers that are busy (429, 503) did
 * nothing yet, so all but POST and PATCH are sent again. Where the answer was lost nobody knows what was done,
 * so only reads are, and at most twice: what does not come back by then is down.
 */
export function retryDelay(error: ApiError, retries: number, policy: RetryPolicy): number | undefined {
  const { status, code, retryAfter } = error
  const isBusy = status === 429 || status === 503
  const isLost = status === 502 || status === 504 || code === 'NETWORK_ERROR'
  const limit = isBusy ? policy.retry : isLost ? Math.min(policy.retry, 2) : 0
  const isRepeatable =
    policy.headers.has('idempotency-key') || (isBusy ? /^[^P]|^PUT/ : /^GET|^HEAD/).test(policy.method)
  if (retries >= limit || !isRepeatable) return undefined
  if (retryAfter === undefined) return backoffDelay(retries)
  // At random times, so that those who were sent away together do not come back together.
  return retryAfter > MAX_RETRY_AFTER ? undefined : retryAfter * 1000 + backoffDelay(0)
}

/** Makes attempts until one succeeds or the policy ends them. One that breaks off by itself is a `NETWORK_ERROR`. */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt()
    } catch (thrown) {
      options.signal.throwIfAborted()
      const error = toNetworkError(thrown)
      const delay = retryDelay(error, retries, options)
      if (delay === undefined) throw error
      await sleep(delay, options)
    }
  }
}

/** Waits. An abort clears the timer and leaves the promise open: `withDeadline` has rejected the whole call by then. */
function sleep(ms: number, { clock, signal }: RetryOptions): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', clock.after(ms, resolve)))
}
