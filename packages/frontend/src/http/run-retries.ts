import { isApiError } from '@sdk/protocol'
import { backoffDelay } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import { pageEvents } from '../page-events.ts'

export interface RunRetryOptions {
  clock: Clock
  signal: AbortSignal
  /** The `retry` option of the request. If it is 0, no further requests are sent after a failure. */
  retry: number
}

/** The delays between the requests that follow a run. */
export interface RunRetries {
  /** Waits before the next request, longer each time. Throws the error of the last request if it is permanent. */
  pause(error?: unknown): Promise<void>
  /** Starts again with the shortest delay. */
  reset(): void
}

/** The maximum number of consecutive failures. It is reached after about four minutes. */
const MAX_FAILURES = 30

/** The number of failures after which the delay no longer grows. */
const MANY_FAILURES = 6

export function createRunRetries({ clock, signal, retry }: RunRetryOptions): RunRetries {
  let failures = 0
  return {
    reset: () => void (failures = 0),
    async pause(error) {
      signal.throwIfAborted()
      if (error !== undefined && !(retry > 0 && isTemporary(error) && failures < MAX_FAILURES))
        // oxlint-disable-next-line typescript/only-throw-error -- the error of the request, or of a callback
        throw error
      const { navigator } = globalThis as { navigator?: { onLine?: boolean } }
      // Failures are not counted while the page is offline. The delay ends early when the page is online again.
      const delay = backoffDelay(navigator?.onLine === false ? MANY_FAILURES : failures++)
      const retryAfter = isApiError(error) ? (error.retryAfter ?? 0) : 0
      await new Promise<void>((resolve) => {
        const stops = [
          clock.after(delay + retryAfter * 1000, end),
          pageEvents((event) => {
            if (event === 'wake' && retryAfter === 0) end()
          }),
        ]
        signal.addEventListener('abort', end)

        function end(): void {
          for (const stop of stops) stop()
          signal.removeEventListener('abort', end)
          resolve()
        }
      })
      signal.throwIfAborted()
    },
  }
}

/** Returns whether another request may succeed. */
function isTemporary(error: unknown): boolean {
  return (
    isApiError(error) && (error.status > 499 || error.status === 429 || /^(NETWORK_ERROR|TIMEOUT)$/.test(error.code))
  )
}
