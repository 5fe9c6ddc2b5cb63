import { useQuery } from '@tanstack/react-query'
import type { ApiError } from '@sdk/protocol'
import type { SendOptions } from '@sdk/frontend'
import type { ApiQueryOptions, ApiQueryResult } from './api-options.ts'
import { buildQuery, toQuery } from './api-query.ts'
import type { RequestCallbacks, RequestContext, RequestObserver, RequestState } from './send-request.ts'
import { isStreamData, useFetchStop, useRefetch } from './live-query.ts'

/** Untyped options for a GET route. */
export interface QueryOptions extends SendOptions, RequestCallbacks, QuerySettings {
  select?: ((data: never) => unknown) | undefined
}

type QuerySettings = Omit<ApiQueryOptions<string>, 'select' | keyof SendOptions | keyof RequestCallbacks>
type ApiQueryActions = Pick<ApiQueryResult<string, unknown>, 'isFetching' | 'refetch' | 'cancel'>

/** Fetches a GET route as a query. */
export function useApiQuery(
  context: RequestContext<QueryOptions>,
  observer: RequestObserver,
): RequestState & ApiQueryActions {
  const { queryClient, route, identity } = context
  const { enabled = true, suspense, staleTime, refetchInterval, select, keepPreviousData } = context.options
  const isWaiting = identity === undefined
  const isReady = enabled && !isWaiting
  const options = toQuery(context)
  const { data, error, status, isFetching, refetch } = useQuery<unknown, ApiError>(
    {
      ...options,
      refetchOnReconnect: true,
      // Never uses data that belongs to a different user or route.
      placeholderData: (old: unknown, from?: { queryKey: readonly unknown[] }) =>
        keepPreviousData && from?.queryKey[0] === route && from.queryKey[2] === identity ? old : undefined,
      enabled: isReady,
      meta: { observer },
      // The hook supports `suspense`, although its type lacks it, and accepts undefined for all of these options.
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
