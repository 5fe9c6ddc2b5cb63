import { useQuery } from '@tanstack/react-query'
import type { ApiError } from '@sdk/protocol'
import type { SendOptions } from '@sdk/frontend'
import type { RequestState } from './mutation-store.ts'
import { buildQuery, toQuery } from './api-query.ts'
import type { RequestCallbacks, RequestContext, RequestObserver } from './send-request.ts'
import { isStreamData, useFetchStop, useRefetch } from './live-query.ts'

/** Options of a GET route, untyped. */
export interface QueryOptions extends SendOptions, RequestCallbacks {
  enabled?: boolean | undefined
  staleTime?: number | undefined
  refetchInterval?: number | undefined
  keepPreviousData?: boolean | undefined
  select?: ((data: never) => unknown) | undefined
  suspense?: boolean | undefined
}

/** What a component sees of a GET route. */
export interface QueryState extends Omit<RequestState, 'owner'> {
  readonly isFetching: boolean
  readonly refetch: () => Promise<unknown>
  readonly cancel: () => void
}

/** A GET route as a query. */
export function useApiQuery(caller: RequestContext<QueryOptions>, watcher: RequestObserver): QueryState {
  const { queryClient, route, identity } = caller
  const { enabled = true, suspense, staleTime, refetchInterval, select, keepPreviousData } = caller.options
  const isWaiting = identity === undefined
  const isReady = enabled && !isWaiting
  const options = toQuery(caller)
  const { data, error, status, isFetching, refetch } = useQuery<unknown, ApiError>(
    {
      ...options,
      refetchOnReconnect: true,
      // Never what another user or another route gave.
      placeholderData: (old: unknown, from?: { queryKey: readonly unknown[] }) =>
        keepPreviousData && from?.queryKey[0] === route && from.queryKey[2] === identity ? old : undefined,
      enabled: isReady,
      meta: { watcher },
      // The hook knows `suspense` too, though its type does not; and of none of these it minds that they are undefined.
      ...({ staleTime, refetchInterval, select, suspense: suspense && isReady } as object),
    },
    queryClient,
  )
  const query = buildQuery(queryClient, options)
  const raw = query.state.data
  const isLoading = isFetching || (enabled && isWaiting)
  return {
    status: status !== 'pending' ? status : isLoading ? 'loading' : 'idle',
    data,
    error,
    isFetching,
    isStreaming: isFetching && isStreamData(raw),
    chunks: isStreamData(raw) ? raw.length : 0,
    refetch: useRefetch(refetch, isWaiting),
    cancel: useFetchStop(query),
  }
}
