import { useQuery } from '@tanstack/react-query'
import type { ApiError } from '@sdk/protocol'
import type { SendOptions } from '@sdk/frontend'
import type { ApiQueryOptions, ApiQueryResult } from './api-options.ts'
import { buildQuery, toQuery } from './api-query.ts'
import type { RequestCallbacks, RequestContext, RequestObserver, RequestState } from './send-request.ts'
import { isStreamData, useFetchStop, useRefetch } from './live-query.ts'
import { isUnchanged } from './optimistic.ts'

/** Untyped options for a GET route. */
export interface QueryOptions extends SendOptions, RequestCallbacks, QuerySettings {
  select?: ((data: never) => unknown) | undefined
}

type QuerySettings = Omit<ApiQueryOptions<string>, 'select' | keyof SendOptions | keyof RequestCallbacks>
type ApiQueryActions = Pick<ApiQueryResult<string, unknown>, 'isFetching' | 'isLive' | 'refetch' | 'cancel'>

/** Fetches a GET route as a query. */
export function useApiQuery(
  context: RequestContext<QueryOptions>,
  observer: RequestObserver,
): RequestState & ApiQueryActions {
  const { queryClient, route, identity } = context
  const { enabled = true, suspense, keepPreviousData } = context.options
  const isWaiting = identity === undefined
  const isReady = enabled && !isWaiting
  const options = toQuery(context)
  const query = buildQuery(queryClient, options)
  const settings = {
    // The hook ignores the options that it does not know.
    ...(context.options as object),
    ...options,
    refetchOnReconnect: isUnchanged,
    // Never uses data that belongs to a different user or route.
    placeholderData: (old: unknown, from?: { queryKey: readonly unknown[] }) =>
      keepPreviousData && from?.queryKey[0] === route && from.queryKey[2] === identity ? old : undefined,
    enabled: isReady,
    meta: { observer },
    // The hook supports this option, although its type lacks it.
    suspense: suspense && isReady,
  }
  const live = context.live?.use(query, context, settings)
  const { data, error, status, isFetching, refetch } = useQuery<unknown, ApiError>(live ?? settings, queryClient)
  const raw = query.state.data
  const isLoading = isFetching || (enabled && isWaiting)
  return {
    status: status !== 'pending' ? status : isLoading ? 'loading' : 'idle',
    data,
    error,
    isFetching,
    isLive: !!live?.isLive,
    isStreaming: isFetching && isStreamData(raw),
    chunks: isStreamData(raw) ? raw.length : 0,
    refetch: useRefetch(refetch, isWaiting),
    cancel: useFetchStop(query),
  }
}
