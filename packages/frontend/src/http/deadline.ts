import { CommonApiError } from '@sdk/protocol'
import type { Clock } from '../clock.ts'
import type { RequestOptions } from './call.ts'

/** Runs `work`. Rejects with the abort reason as soon as the signal is aborted, or with `TIMEOUT` after the timeout. */
export async function withDeadline<T>(
  { clock, signal: outer, timeoutMs }: Pick<RequestOptions, 'signal' | 'timeoutMs'> & { clock: Clock },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted()
  const timer = new AbortController()
  const signal = outer === undefined ? timer.signal : AbortSignal.any([outer, timer.signal])
  const stopTimer =
    timeoutMs === undefined
      ? null
      : clock.after(timeoutMs, () =>
          timer.abort(new CommonApiError('TIMEOUT', `The request timed out after ${timeoutMs} ms`)),
        )
  return new Promise<T>((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason of the caller's signal
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop)
    // The listener is removed at the end because the caller's signal may live much longer than this call.
    void work(signal)
      .then(resolve, reject)
      .then(() => signal.removeEventListener('abort', stop))
  }).finally(stopTimer)
}
