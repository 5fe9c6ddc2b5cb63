import { useQuery, type QueryCacheNotifyEvent, type QueryClient } from '@tanstack/react-query'
import { isApiError, type ApiError } from '@sdk/protocol'
import { useCallback, useEffect, useSyncExternalStore, type RefObject } from 'react'
import type { SendOptions } from '@sdk/frontend'
import type { CallState } from './api-call.ts'
import type { CallCallbacks } from './call-run.ts'
import { toQuery, type QueryInput, type Watcher } from './api-query.ts'
import { findQuery, isStream, stopFetch, stopUnobserved } from './live-query.ts'
import { useSdk } from './sdk-context.ts'
import { useIdentity } from './use-auth.ts'
import { useLatest } from './use-latest.ts'

/** Options of a GET route, untyped. */
export interface QueryCallOptions extends SendOptions, CallCallbacks {
  enabled?: boolean | undefined
  staleTime?: number | undefined
  refetchInterval?: number | undefined
  keepPreviousData?: boolean | undefined
  select?: ((data: never) => unknown) | undefined
  suspense?: boolean | undefined
}

/** What a component sees of a GET route. */
export interface QueryCallState extends Omit<CallState, 'owner'> {
  readonly isFetching: boolean
  readonly refetch: () => Promise<unknown>
  readonly cancel: () => void
}

/** A GET route as a query. A route of null sends nothing: hooks are called alike for every kind of route. */
export function useApiQuery(route: string | null, options: QueryCallOptions): QueryCallState {
  const { client, queryClient } = useSdk()
  const queries = queryClient as QueryClient
  const identity = useIdentity()
  const latest = useLatest(options)
  const isWaiting = identity === undefined
  const isWanted = route !== null && options.enabled !== false
  const input: QueryInput = { client, route: route ?? 'no GET', options, identity: identity ?? null }
  const query = toQuery(input)
  const isSuspending = useIsOnPage() && isWanted && !isWaiting && options.suspense === true
  const watcher: Watcher = useCallback(() => latest.current, [latest])
  const result = useQuery<unknown, ApiError>(
    {
      ...query,
      ...toObserver(options, input),
      enabled: isWanted && !isWaiting,
      meta: { watcher },
      // Known to the hook, though not to its type, since there are hooks of their own for it.
      ...({ suspense: isSuspending } as object),
    },
    queries,
  )
  const { queryHash } = query
  useFetchEnd(queries, queryHash)
  useCallbacks(queries, options.onSuccess || options.onError ? queryHash : null, latest)
  const raw = findQuery(queries, queryHash)?.state.data
  return {
    status: result.isPending ? toPending(result.isFetching || (isWanted && isWaiting)) : result.status,
    data: result.data,
    error: result.error,
    isFetching: result.isFetching,
    isStreaming: result.isFetching && isStream(raw),
    chunks: isStream(raw) ? raw.length : 0,
    refetch: useRefetch(result.refetch, isWaiting),
    cancel: useCallback(() => stopFetch(findQuery(queries, queryHash)), [queries, queryHash]),
  }
}

/** Stops the fetch of a query after the last component on it has left. */
export function useFetchEnd(queries: QueryClient, hash: string): void {
  // Not at once: StrictMode leaves and comes back.
  useEffect(() => () => queueMicrotask(() => stopUnobserved(findQuery(queries, hash))), [queries, hash])
}

/** Fetches again. Nothing to do while it is not known for whom: the first fetch comes by itself then. */
export function useRefetch(refetch: Refetch, isWaiting: boolean): () => Promise<unknown> {
  return useCallback(() => {
    const promise = isWaiting ? Promise.resolve() : refetchOrThrow(refetch)
    promise.catch(() => {}) // the state tells of it
    return promise
  }, [refetch, isWaiting])
}

type Refetch = (options: { throwOnError: boolean }) => Promise<{ data: unknown }>

async function refetchOrThrow(refetch: Refetch): Promise<unknown> {
  try {
    return (await refetch({ throwOnError: true })).data
  } catch (thrown) {
    throw isApiError(thrown) ? thrown : new DOMException('The request was stopped', 'AbortError')
  }
}

/** What an observer of TanStack Query takes beside the query. */
function toObserver(options: QueryCallOptions, { route, identity }: QueryInput): object {
  const { staleTime = 0, refetchInterval = false, select, keepPreviousData } = options
  return {
    staleTime,
    refetchInterval,
    refetchOnReconnect: true,
    select,
    placeholderData: (old: unknown, from?: { queryKey: readonly unknown[] }) =>
      // Never what another user or another route gave.
      keepPreviousData && from?.queryKey[0] === route && from.queryKey[2] === identity ? old : undefined,
  }
}

/** Calls back after each request while the component is there; a hash of null means that it does not want to hear. */
function useCallbacks(queries: QueryClient, hash: string | null, latest: RefObject<QueryCallOptions>): void {
  useEffect(() => {
    if (hash === null) return undefined
    const tell = (event: QueryCacheNotifyEvent): void => {
      if (event.type !== 'updated' || event.query.queryHash !== hash) return
      const { action } = event
      // Later, so that one that throws takes nothing from the cache: as in events, the page hears of it.
      if (action.type === 'error') queueMicrotask(() => latest.current.onError?.(action.error as ApiError))
      if (action.type === 'success' && action.manual !== true)
        queueMicrotask(() => latest.current.onSuccess?.(action.data as never))
    }
    return queries.getQueryCache().subscribe(tell)
  }, [queries, hash, latest])
}

/** False while a page is made on a server, and while it hydrates. */
function useIsOnPage(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  )
}

function toPending(isLoading: boolean): 'loading' | 'idle' {
  return isLoading ? 'loading' : 'idle'
}
