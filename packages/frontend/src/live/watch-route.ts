import type { ApiError } from '@sdk/protocol'
import type { HttpClient } from '../http/http-client.ts'
import type { LiveTarget } from './live-entry.ts'
import { subscribeLive } from './subscribe-live.ts'

/** Yields the data of a GET route whenever it changes. A slow reader receives only the newest data. */
export async function* watchRoute(
  client: HttpClient,
  target: LiveTarget,
  signal?: AbortSignal,
): AsyncGenerator<unknown, void> {
  const unread: unknown[] = []
  let error: ApiError | undefined
  let wake = (): void => {}
  signal?.throwIfAborted()
  const subscription = subscribeLive(client, target, {
    onData(data) {
      unread[0] = data
      wake()
    },
    onError(thrown) {
      error = thrown
      wake()
    },
  })
  const onAbort = (): void => wake()
  signal?.addEventListener('abort', onAbort)
  try {
    for (;;) {
      signal?.throwIfAborted()
      if (error) throw error
      if (unread.length > 0) yield unread.pop()
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    subscription.end()
  }
}
