import { CommonApiError } from '@sdk/protocol'
import type { Clock } from '../clock.ts'

/** What ends work before it is done. */
export interface Deadline {
  clock: Clock
  /** The caller's. */
  signal?: AbortSignal | undefined
  /** @default none */
  timeoutMs?: number | undefined
}

/** Does work that ends at once when the signal aborts, with its reason, or when the time is up, with `TIMEOUT`. */
export async function withDeadline<T>(
  { clock, signal: outer, timeoutMs }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted()
  const timer = new AbortController()
  const signal = outer === undefined ? timer.signal : AbortSignal.any([outer, timer.signal])
  const stopTimer =
    timeoutMs === undefined
      ? null
      : clock.after(timeoutMs, () =>
          timer.abort(new CommonApiError('TIMEOUT', `The server took longer than ${timeoutMs} ms`)),
        )
  return new Promise<T>((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- it is what the caller gave
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop)
    // Removed, as the caller's signal may live much longer than this call.
    void work(signal)
      .then(resolve, reject)
      .then(() => signal.removeEventListener('abort', stop))
  }).finally(stopTimer)
}
