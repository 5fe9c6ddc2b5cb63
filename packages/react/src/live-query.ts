import type { Query } from '@tanstack/react-query'
import { isApiError } from '@sdk/protocol'
import { useCallback, useEffect } from 'react'

/** The chunk arrays of streams, tracked by identity because cached data is plain JSON and cannot be tagged. */
const streams = new WeakSet<object>()

/** Cancels a query's fetch for all components. Data received so far is kept, and no error is reported. */
export function stopFetch(query: Query): void {
  void query.cancel({ revert: true })
}

/** Returns a function that stops a query's fetch. The fetch also stops when the query's last component unmounts. */
export function useFetchStop(query: Query): () => void {
  useEffect(() => {
    // Deferred because StrictMode unmounts and remounts components synchronously.
    return () => queueMicrotask(() => query.observers.length || stopFetch(query))
  }, [query])
  return useCallback(() => stopFetch(query), [query])
}

/**
 * Returns a function that fetches the query again. It does nothing while auth is loading, since the first fetch is
 * automatic.
 */
export function useRefetch(refetch: Refetch, isWaiting: boolean): () => Promise<unknown> {
  return useCallback(() => {
    const promise = isWaiting ? Promise.resolve() : refetch({ throwOnError: true }).then(({ data }) => data, rethrow)
    promise.catch(() => {}) // the state contains the error
    return promise
  }, [refetch, isWaiting])
}

type Refetch = (options: { throwOnError: true }) => Promise<{ data: unknown }>

function rethrow(thrown: unknown): never {
  throw isApiError(thrown) ? thrown : AbortSignal.abort().reason
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
