import { useQuery } from '@tanstack/react-query'
import { isApiError, type ApiError } from '@sdk/protocol'
import { useCallback } from 'react'
import type { SendOptions } from '@sdk/frontend'
import type { CallState } from './api-call.ts'
import { toQuery } from './api-query.ts'
import type { CallCallbacks, Caller, Watcher } from './caller.ts'
import { isStream, useFetchStop } from './live-query.ts'

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

/** A GET route as a query. */
export function useApiQuery(caller: Caller<QueryCallOptions>, watcher: Watcher): QueryCallState {
  const { queries, route, identity } = caller
  const { enabled = true, suspense, staleTime = 0, refetchInterval = false, select, keepPreviousData } = caller.options
  const isWaiting = identity === undefined
  const query = toQuery(caller)
  const { data, error, status, isFetching, refetch } = useQuery<unknown, ApiError>(
    {
      ...query,
      staleTime,
      refetchInterval,
      refetchOnReconnect: true,
      select: select as (data: unknown) => unknown,
      // Never what another user or another route gave.
      placeholderData: (old: unknown, from?: { queryKey: readonly unknown[] }) =>
        keepPreviousData && from?.queryKey[0] === route && from.queryKey[2] === identity ? old : undefined,
      enabled: enabled && !isWaiting,
      meta: { watcher },
      // Known to the hook, though not to its type, since there are hooks of their own for it.
      ...({ suspense: suspense && enabled && !isWaiting } as object),
    },
    queries,
  )
  const raw = queries.getQueryCache().get(query.queryHash)?.state.data
  const isLoading = isFetching || (enabled && isWaiting)
  return {
    status: status !== 'pending' ? status : isLoading ? 'loading' : 'idle',
    data,
    error,
    isFetching,
    isStreaming: isFetching && isStream(raw),
    chunks: isStream(raw) ? raw.length : 0,
    refetch: useRefetch(refetch, isWaiting),
    cancel: useFetchStop(queries, query.queryHash),
  }
}

/** Fetches again. Nothing to do while it is not known for whom: the first fetch comes by itself then. */
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
