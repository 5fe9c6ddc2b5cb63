import { hashKey, useInfiniteQuery } from '@tanstack/react-query'
import type { ApiError, Page } from '@sdk/protocol'
import { useCallback } from 'react'
import type { CallOptions, CallOutput, OptionsArgument, SendOptions } from '@sdk/frontend'
import { fetchRoute, buildQuery, toQuery } from './api-query.ts'
import { useRequestContext } from './send-request.ts'
import { useFetchStop, useRefetch } from './live-query.ts'
import type { QueryRoute } from './query-route.ts'
import { flattenPages, PAGES_KEY } from './pages.ts'

/** Options of `usePages`. */
export type PagesOptions<R extends string> = CallOptions<R> & {
  /** False sends nothing. @default true */
  enabled?: boolean | undefined
  /** For so many ms data counts as fresh and is not fetched again on mount or focus. @default 0 */
  staleTime?: number | undefined
}

/** The result of `usePages`. */
export interface PagesResult<R extends string> {
  /** The items of all pages so far, in order. */
  items: PageItem<R>[]
  /** Fetches the next page, if there is one. Once is enough: while it comes, further calls do nothing. */
  fetchNext: () => void
  /** There are further pages. */
  hasMore: boolean
  /** The first page is on its way. */
  isLoading: boolean
  /** Anything is on its way. */
  isFetching: boolean
  /** The next page is on its way. */
  isFetchingNext: boolean
  /** The latest request succeeded. */
  isSuccess: boolean
  /** The latest request failed; `error` says why. */
  isError: boolean
  /** Why the latest request failed; null where it did not. */
  error: ApiError | null
  /** Fetches all pages again. The promise may be left alone: the state tells of failures. */
  refetch: () => Promise<unknown>
}

/** One item of a list. */
export type PageItem<R extends string> = CallOutput<R> extends { data: readonly (infer T)[] } ? T : unknown

/**
 * Walks through a list, page after page.
 * @example const { items, fetchNext, hasMore } = usePages('GET /api/v1/tasks', { query: { limit: 50 } })
 */
export function usePages<R extends QueryRoute>(route: R, ...options: OptionsArgument<PagesOptions<R>>): PagesResult<R>
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
