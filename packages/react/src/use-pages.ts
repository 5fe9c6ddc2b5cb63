import { hashKey, useInfiniteQuery } from '@tanstack/react-query'
import type { ApiError, Page } from '@sdk/protocol'
import { useCallback } from 'react'
import type { CallOptions, CallOutput, ExpandName, OptionsArgument, SendOptions } from '@sdk/frontend'
import { fetchRoute, buildQuery, toQuery } from './api-query.ts'
import { useRequestContext } from './send-request.ts'
import { useFetchStop, useRefetch } from './live-query.ts'
import type { QueryRoute } from './query-route.ts'
import { flattenPages, PAGES_KEY } from './pages.ts'

/** Options for `usePages`. */
export type PagesOptions<R extends string, I = ExpandName<R>> = CallOptions<R, I> & {
  /** Whether to send requests. @default true */
  enabled?: boolean | undefined
  /** The time in ms during which data is fresh and not fetched again on mount or focus. @default 0 */
  staleTime?: number | undefined
}

/** The result of `usePages`. */
export interface PagesResult<R extends string, I = never> {
  /** The items of all pages fetched so far, in order. */
  items: PageItem<R, I>[]
  /** Fetches the next page, if there is one. Does nothing while the next page is being fetched. */
  fetchNext: () => void
  /** Whether there are more pages. */
  hasMore: boolean
  /** Whether the first page is being fetched. */
  isLoading: boolean
  /** Whether any page is being fetched. */
  isFetching: boolean
  /** Whether the next page is being fetched. */
  isFetchingNext: boolean
  /** Whether the latest request succeeded. */
  isSuccess: boolean
  /** Whether the latest request failed. The reason is in `error`. */
  isError: boolean
  /** The error of the latest request, or null if that request did not fail. */
  error: ApiError | null
  /** Fetches all pages again. The promise does not need an error handler, since the state contains the error. */
  refetch: () => Promise<unknown>
}

/** An item in a list. `I` is the union of the names in `expand`. */
export type PageItem<R extends string, I = never> =
  CallOutput<R, I> extends { data: readonly (infer T)[] } ? T : unknown

/**
 * Fetches a paginated list, one page after another.
 * @example const { items, fetchNext, hasMore } = usePages('GET /api/v1/tasks', { query: { limit: 50 } })
 */
export function usePages<R extends QueryRoute, const I extends ExpandName<R> = never>(
  route: R,
  ...options: OptionsArgument<PagesOptions<R, I>>
): PagesResult<R, I>
export function usePages(route: string, options: SendOptions & PagesOptions<string> = {}): PagesResult<string> {
  const context = useRequestContext(route, options)
  const { queryClient, identity } = context
  const { enabled = true, staleTime = 0 } = options
  const isWaiting = identity === undefined
  const query = toQuery(context)
  const queryKey = [...query.queryKey, PAGES_KEY]
  const queryHash = hashKey(queryKey)
  const result = useInfiniteQuery<Page<unknown>, ApiError, unknown[], unknown[], string | undefined>(
    {
      ...query,
      queryKey,
      queryHash,
      queryFn: ({ pageParam: cursor }) => {
        const page = { ...context, options: { ...options, query: { ...options.query, cursor } } }
        return fetchRoute(page, buildQuery(queryClient, { queryKey, queryHash })) as Promise<Page<unknown>>
      },
      initialPageParam: undefined,
      getNextPageParam: ({ pagination }) => pagination.nextCursor,
      select: flattenPages,
      enabled: enabled && !isWaiting,
      staleTime,
      refetchOnReconnect: true,
    },
    queryClient,
  )
  useFetchStop(buildQuery(queryClient, { queryKey, queryHash }))
  const { isFetching, isFetchingNextPage: isFetchingNext, fetchNextPage } = result
  return {
    items: result.data ?? NO_ITEMS,
    fetchNext: useCallback(() => void (isFetchingNext || fetchNextPage()), [isFetchingNext, fetchNextPage]),
    hasMore: result.hasNextPage,
    isLoading: result.isPending && (isFetching || (enabled && isWaiting)),
    isFetching,
    isFetchingNext,
    isSuccess: result.isSuccess,
    isError: result.isError,
    error: result.error,
    refetch: useRefetch(result.refetch, isWaiting),
  }
}

const NO_ITEMS: unknown[] = []
