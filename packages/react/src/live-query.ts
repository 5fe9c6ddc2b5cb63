import type { Query } from '@tanstack/react-query'
import { isApiError } from '@sdk/protocol'
import { useCallback, useEffect } from 'react'

/**
 * The lists of chunks that streams gave. Known by identity: what is in a cache is plain JSON, and cannot carry a mark.
 */
const streams = new WeakSet<object>()

/** Stops the fetch of a query, for all who wait for it. What has come so far stays; a stop is no error. */
export function stopFetch(query: Query): void {
  void query.cancel({ revert: true })
}

/**
 * Aborts when the fetch that a query has just begun is stopped, or has failed. Not TanStack's own signal: once that is
 * read, leaving and coming back at once, as StrictMode does, sends twice.
 */
export function abortWithFetch(query: Query): AbortController {
  const controller = new AbortController()
  query.promise?.catch(() => controller.abort())
  return controller
}

/** The way to stop the fetch of a query, which is also stopped after the last component on it has left. */
export function useFetchStop(query: Query): () => void {
  useEffect(() => {
    const stopUnobserved = (): void => {
      if (query.observers.length === 0) stopFetch(query)
    }
    // Later: StrictMode unmounts, and mounts again at once.
    return () => queueMicrotask(stopUnobserved)
  }, [query])
  return useCallback(() => stopFetch(query), [query])
}

/** Fetches again. Until it is known who is signed in it does nothing: the first fetch then comes by itself. */
export function useRefetch(refetch: Refetch, isWaiting: boolean): () => Promise<unknown> {
  return useCallback(() => {
    const promise = isWaiting ? Promise.resolve() : refetch({ throwOnError: true }).then(({ data }) => data, rethrow)
    promise.catch(() => {}) // the state tells of it
    return promise
  }, [refetch, isWaiting])
}

type Refetch = (options: { throwOnError: true }) => Promise<{ data: unknown }>

function rethrow(thrown: unknown): never {
  throw isApiError(thrown) ? thrown : new DOMException('The request was stopped', 'AbortError')
}

/** Shows the chunks so far to all who look at the query. */
export function showChunks(query: Query, chunks: unknown[]): void {
  streams.add(chunks)
  query.setData(chunks, { manual: true })
}

/** Is this what a stream gave? */
export function isStreamData(data: unknown): data is unknown[] {
  return streams.has(data as object)
}
