import { hashKey, useInfiniteQuery, type Query } from '@tanstack/react-query'
import { CommonApiError, type ApiError, type Page, type QueryOption } from '@sdk/protocol'
import { useCallback } from 'react'
import type { CallOptions, CallOutput, ExpandName, OptionsArgument, SendOptions } from '@sdk/frontend'
import { fetchRoute, buildQuery, toQuery } from './api-query.ts'
import { useRequestContext } from './send-request.ts'
import { useFetchStop, useRefetch } from './live-query.ts'
import { isUnchanged, keepChanges } from './optimistic.ts'
import type { QueryRoute } from './query-route.ts'
import { PAGES_KEY, type CachedPages } from './pages.ts'

/** Options for `usePages`. `I` is the union of the names in `expand`, and `T` is the type of an item. */
export type PagesOptions<R extends string, I = ExpandName<R>, T = unknown> = CallOptions<R, I> & {
  /** Returns the items of a page, for routes with a different page format. @default (page) => page.data */
  items?: ((page: CallOutput<R, I>) => readonly T[]) | undefined
  /**
   * Returns the query parameters of the next page, which are added to `query`, or null on the last page. Receives the
   * last page and the number of items on all pages. @default the cursor in `pagination.nextCursor`
   * @example ({ total }, count) => (count < total ? { offset: count } : null)
   */
  getNext?: ((page: CallOutput<R, I>, count: number) => PartialQuery<R> | null | undefined) | undefined
  /** Whether to send requests. @default true */
  enabled?: boolean | undefined
  /** How long data is fresh, in ms. Fresh data is not fetched again on mount or focus. @default 0 */
  staleTime?: number | undefined
  /**
   * Whether to keep all pages current. Requires `live` in `SdkProvider` and on the server's resource. A list of more
   * than 20 pages is not live. @default false
   */
  live?: boolean | undefined
}

/** The option that routes without pages, which have no list in `data`, require. */
interface RouteWithoutPages {
  items: unknown
}

/** The required options of a route. If the type of its response is unknown, none are required. */
type RequiredOptions<R extends string, I> =
  unknown extends CallOutput<R, I> ? {} : CallOutput<R, I> extends { data: readonly unknown[] } ? {} : RouteWithoutPages

/** Some of the query parameters of a route. */
type PartialQuery<R extends string> = Partial<NonNullable<QueryOption<R>['query']>>

/** The result of `usePages`. */
export interface PagesResult<R extends string, I = never, T = PageItem<R, I>> {
  /** The items of all pages fetched so far, in order. */
  items: T[]
  /**
   * Fetches the next page, if there is one. Does nothing while the next page is being fetched, and waits for a refetch
   * in progress.
   */
  fetchNext: () => void
  /** Whether there are more pages. */
  hasMore: boolean
  /** Whether the first page is being fetched. */
  isLoading: boolean
  /** Whether any page is being fetched. */
  isFetching: boolean
  /** Whether the next page is being fetched. */
  isFetchingNext: boolean
  /** Whether the pages are live and the connection is open. If false, they may be outdated. */
  isLive: boolean
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
export function usePages<R extends QueryRoute, const I extends ExpandName<R> = never, T = PageItem<R, I>>(
  route: R,
  ...options: OptionsArgument<PagesOptions<R, I, T> & RequiredOptions<R, I>>
): PagesResult<R, I, T>
export function usePages(route: string, options: UntypedOptions = {}): PagesResult<string> {
  const context = useRequestContext(route, options)
  const { queryClient, identity } = context
  const { enabled = true, staleTime = 0, items = itemsOf, getNext = nextCursorOf } = options
  const isWaiting = identity === undefined
  const query = toQuery(context)
  const queryKey = [...query.queryKey, PAGES_KEY]
  const queryHash = hashKey(queryKey)
  const cached = buildQuery(queryClient, { queryKey, queryHash })
  const settings = {
    ...query,
    queryKey,
    queryHash,
    async queryFn({ pageParam }: { pageParam: NextQuery }) {
      const request = { ...context, options: { ...options, query: { ...options.query, ...pageParam } } }
      const page = await fetchRoute(request, cached)
      // Called here first, since TanStack Query loses errors in `getNextPageParam` and would load forever.
      try {
        getNext(page, items(page).length)
      } catch (cause) {
        const message = `usePages cannot read the pages of "${route}": pass items and getNext: ${String(cause)}`
        throw new CommonApiError('INVALID_RESPONSE', message, { cause })
      }
      const { pages, pageParams } = (cached.state.data ?? NO_PAGES) as CachedPages
      const index = pageParams.findIndex((param) => hashKey([param]) === hashKey([pageParam]))
      return keepChanges(cached, pages[index], page)
    },
    initialPageParam: null,
    getNextPageParam: (page: unknown, pages: unknown[]) => getNext(page, flattenPages(pages, items).length),
    // Memoized, since TanStack Query runs `select` again whenever the function changes.
    select: useCallback(({ pages }: CachedPages) => flattenPages(pages, items), [items]),
    enabled: enabled && !isWaiting,
    staleTime,
    refetchOnReconnect: isUnchanged,
  }
  const live = context.live?.use(cached, context, settings)
  const result = useInfiniteQuery<unknown, ApiError, unknown[], unknown[], NextQuery>(live ?? settings, queryClient)
  useFetchStop(cached)
  const { isFetching, isFetchingNextPage: isFetchingNext, hasNextPage: hasMore, fetchNextPage } = result
  return {
    items: result.data ?? NO_ITEMS,
    fetchNext: useCallback(() => {
      if (hasMore && !isFetchingNext) void fetchAfterRefetch(cached, fetchNextPage)
    }, [hasMore, isFetchingNext, cached, fetchNextPage]),
    hasMore,
    isLoading: result.isPending && (isFetching || (enabled && isWaiting)),
    isFetching,
    isFetchingNext,
    isLive: !!live?.isLive,
    isSuccess: result.isSuccess,
    isError: result.isError,
    error: result.error,
    refetch: useRefetch(result.refetch, isWaiting),
  }
}

/**
 * Fetches the next page after a fetch in progress has ended. Otherwise, TanStack Query would cancel that fetch, and the
 * pages that a mutation has changed would remain outdated.
 */
async function fetchAfterRefetch(
  query: Query,
  fetchNextPage: (options: { cancelRefetch: false }) => Promise<unknown>,
): Promise<void> {
  let last: unknown
  // A refetch that another mutation cancels is followed by a new one. `fetchMeta` is set while a page is being fetched.
  while (query.state.fetchStatus !== 'idle' && !query.state.fetchMeta && query.promise !== last) {
    last = query.promise
    await query.promise?.catch(() => {})
  }
  if (query.observers.length) await fetchNextPage({ cancelRefetch: false })
}

const NO_ITEMS: unknown[] = []
const NO_PAGES: CachedPages = { pages: [], pageParams: [] }

/** A function that returns the items of a page. */
type ItemsOf = (page: unknown) => readonly unknown[]

/** Returns the items of a page in the format that resources use. */
function itemsOf(page: unknown): unknown[] {
  return (page as Page<unknown>).data
}

function flattenPages(pages: readonly unknown[], items: ItemsOf): unknown[] {
  return pages.flatMap((page) => items(page))
}

/** The query parameters that differ from those of the first page. */
type NextQuery = SendOptions['query'] | null

interface UntypedOptions extends SendOptions, Pick<PagesOptions<string>, 'enabled' | 'staleTime' | 'live'> {
  items?: ItemsOf | undefined
  getNext?: ((page: unknown, count: number) => NextQuery) | undefined
}

function nextCursorOf(page: unknown): NextQuery {
  const { nextCursor } = (page as Page<unknown>).pagination
  return nextCursor === null ? null : { cursor: nextCursor }
}
