import type { Query } from '@tanstack/react-query'
import { isApiError } from '@sdk/protocol'
import { useCallback, useEffect } from 'react'

/** The chunk lists of streams, tracked by identity: cached data is plain JSON and cannot be tagged. */
const streams = new WeakSet<object>()

/** Cancels the fetch of a query for all components. Data received so far is kept, and no error is reported. */
export function stopFetch(query: Query): void {
  void query.cancel({ revert: true })
}

/**
 * Returns a controller that aborts when the current fetch of a query is stopped or fails. TanStack's own signal is not
 * used: once it is read, an unmount followed by an immediate mount, as in StrictMode, sends two requests.
 */
export function abortWithFetch(query: Query): AbortController {
  const controller = new AbortController()
  query.promise?.catch(() => controller.abort())
  return controller
}

/** Returns a function that stops the fetch of a query; the fetch also stops when its last component unmounts. */
export function useFetchStop(query: Query): () => void {
  useEffect(() => {
    const stopUnobserved = (): void => {
      if (query.observers.length === 0) stopFetch(query)
    }
    // Deferred: StrictMode unmounts and mounts again synchronously.
    return () => queueMicrotask(stopUnobserved)
  }, [query])
  return useCallback(() => stopFetch(query), [query])
}

/** Returns a function that fetches again. It does nothing until the user is known: the first fetch is automatic. */
export function useRefetch(refetch: Refetch, isWaiting: boolean): () => Promise<unknown> {
  return useCallback(() => {
    const promise = isWaiting ? Promise.resolve() : refetch({ throwOnError: true }).then(({ data }) => data, rethrow)
    promise.catch(() => {}) // the state contains the error
    return promise
  }, [refetch, isWaiting])
}

type Refetch = (options: { throwOnError: true }) => Promise<{ data: unknown }>

function rethrow(thrown: unknown): never {
  throw isApiError(thrown) ? thrown : new DOMException('The request was aborted', 'AbortError')
}

/** Stores the chunks received so far in the cache. */
export function showChunks(query: Query, chunks: unknown[]): void {
  streams.add(chunks)
  query.setData(chunks, { manual: true })
}

/** Returns whether the data came from a stream. */
export function isStreamData(data: unknown): data is unknown[] {
  return streams.has(data as object)
}
