import type { Query, QueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'

// Not TanStack's own signal: once that is read, leaving and coming back at once, as StrictMode does, sends twice.
const controllers = new WeakMap<Query, AbortController>()

/** Chunks so far, each list of them. Told by identity: what is in a cache is JSON, and has no place for a mark. */
const streams = new WeakSet<object>()

/** Begins a fetch of a query. The one before it is stopped, and this one when `outer` says so. */
export function beginFetch(query: Query, outer: AbortSignal | undefined): AbortController {
  const controller = new AbortController()
  controllers.get(query)?.abort()
  controllers.set(query, controller)
  const stop = (): void => stopFetch(query)
  outer?.addEventListener('abort', stop, { signal: controller.signal })
  if (outer?.aborted === true) stop()
  return controller
}

/** Stops the fetch of a query, for all who wait for it. What has come so far stays; a stop is no error. */
export function stopFetch(query: Query | undefined): void {
  if (query === undefined || query.state.fetchStatus === 'idle') return
  void query.cancel({ revert: true })
  controllers.get(query)?.abort()
}

/** The way to stop the fetch of a query, which is also stopped after the last component on it has left. */
export function useFetchStop(queries: QueryClient, hash: string): () => void {
  const find = useCallback(() => queries.getQueryCache().get(hash), [queries, hash])
  useEffect(() => {
    const stopUnobserved = (): void => {
      if (find()?.getObserversCount() === 0) stopFetch(find())
    }
    // Not at once: StrictMode leaves and comes back.
    return () => queueMicrotask(stopUnobserved)
  }, [find])
  return useCallback(() => stopFetch(find()), [find])
}

/** Shows the chunks so far to all who look at the query. */
export function showChunks(query: Query, chunks: unknown[]): void {
  streams.add(chunks)
  query.setData(chunks, { manual: true })
}

/** Is this what a stream gave? */
export function isStream(data: unknown): data is unknown[] {
  return Array.isArray(data) && streams.has(data)
}
