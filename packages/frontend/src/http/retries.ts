import type { ApiError } from '@sdk/protocol'
import { backoffDelay } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import { toNetworkError } from './to-api-error.ts'

export interface RetryOptions {
  method: string
  /** The request headers. With an `Idempotency-Key`, the server executes a repeated write only once. */
  headers: Headers
  /** The maximum number of retries. */
  retry: number
  clock: Clock
  signal: AbortSignal
}

/** The maximum `Retry-After` in seconds. If the server requests a longer delay, the call rejects. */
const MAX_RETRY_AFTER = 60

/**
 * Returns the delay in ms before the next attempt, or undefined if the request must not be retried. Busy servers (429,
 * 503) have not executed the request, so all methods except POST and PATCH are retried. After a lost response, only
 * reads are retried, at most twice: a server that has not recovered by then is down.
 */
export function retryDelay(
  error: ApiError,
  retries: number,
  policy: Pick<RetryOptions, 'method' | 'headers' | 'retry'>,
): number | undefined {
  const { status, code, retryAfter } = error
  const isBusy = status === 429 || status === 503
  const isLost = status === 502 || status === 504 || code === 'NETWORK_ERROR'
  const limit = isBusy ? policy.retry : isLost ? Math.min(policy.retry, 2) : 0
  const isRepeatable =
    policy.headers.has('idempotency-key') || (isBusy ? /^[^P]|^PUT/ : /^GET|^HEAD/).test(policy.method)
  if (retries >= limit || !isRepeatable) return undefined
  if (retryAfter === undefined) return backoffDelay(retries)
  // Adds jitter, so that clients rejected together do not retry together.
  return retryAfter > MAX_RETRY_AFTER ? undefined : retryAfter * 1000 + backoffDelay(0)
}

/** Calls `attempt` until it succeeds or the policy allows no more retries. A failed fetch becomes a `NETWORK_ERROR`. */
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

/**
 * Waits for `ms`. An abort clears the timer and leaves the promise pending: `withDeadline` has already rejected the
 * call.
 */
function sleep(ms: number, { clock, signal }: RetryOptions): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', clock.after(ms, resolve)))
}
