import { hashKey, replaceEqualDeep, type Query, type QueryClient } from '@tanstack/react-query'
import type { CallOptions, CallOutput, HttpClient, OptionsArgument, SendOptions } from '@sdk/frontend'
import { sendRequest, type RequestContext, type RequestObserver } from './send-request.ts'
import { abortWithFetch, isStreamData, showChunks, stopFetch } from './live-query.ts'
import { toPlainJson, type QueryRoute } from './query-route.ts'
import { identityOf, type QueryClientLike } from './sdk-context.ts'

/** The options that TanStack Query functions need for a GET route. */
export interface ApiQuery<T> {
  /** The route, the request options and the user's id, as plain JSON. */
  queryKey: readonly unknown[]
  queryHash: string
  queryFn: (context: { client: QueryClientLike }) => Promise<T>
  /** Disabled because the client of the SDK retries. */
  retry: false
  /** Requests fail instead of pausing while offline. */
  networkMode: 'always'
  structuralSharing: (old: unknown, data: unknown) => unknown
}

/** The request of a query. */
export type QueryInput = Omit<RequestContext, 'queryClient'>

/**
 * Returns the query of a GET route for `prefetchQuery`, loaders and `useSuspenseQuery` of TanStack Query, in the cache
 * that `useAPI` reads.
 * @example await queryClient.prefetchQuery(apiQueryOptions(client, 'GET /api/v1/tasks', { query: { done: false } }))
 */
export function apiQueryOptions<R extends QueryRoute>(
  client: HttpClient,
  route: R,
  ...options: OptionsArgument<CallOptions<R>>
): ApiQuery<CallOutput<R>>
export function apiQueryOptions(client: HttpClient, route: string, options: SendOptions = {}): ApiQuery<unknown> {
  const identity = identityOf(client)
  // Otherwise the data of one user would be cached under the key of signed-out users and shown to all.
  if (identity === undefined) throw new TypeError('auth is still loading: await auth.token() first')
  return toQuery({ client, route, options, identity })
}

/** Converts a request to a query, untyped. */
export function toQuery(input: QueryInput): ApiQuery<unknown> {
  const { params, query, headers, delimiter } = input.options
  // The route comes first, for readability in the devtools. The user is part of the key, so that users share no data.
  const queryKey = toPlainJson([input.route, { params, query, headers, delimiter }, input.identity ?? null])
  const id = { queryKey, queryHash: hashKey(queryKey) }
  return {
    ...id,
    queryFn: ({ client }) => fetchRoute(input, buildQuery(client as QueryClient, id)),
    retry: false,
    networkMode: 'always',
    // Comparing a growing list with itself at every update would be quadratic.
    structuralSharing: (old, data) => (isStreamData(data) ? data : replaceEqualDeep(old, data)),
  }
}

/** Returns the query of a key in a cache. */
export function buildQuery(client: QueryClient, options: { queryKey: readonly unknown[]; queryHash: string }): Query {
  return client.getQueryCache().build(client, options)
}

/** Fetches the data of a query. A stream shows its chunks in the cache as they arrive. */
export async function fetchRoute(input: QueryInput, query: Query): Promise<unknown> {
  const controller = abortWithFetch(query)
  const outer = input.options.signal
  try {
    return await sendRequest(input, {
      signals: [controller.signal, outer],
      observers: () => observersOf(query),
      onReply() {
        // The token is read after the key is created: data of another user must not be cached under it.
        if (identityOf(input.client) !== input.identity) controller.abort()
        return (chunks) => controller.signal.aborted || showChunks(query, chunks)
      },
    })
  } finally {
    if (outer?.aborted) stopFetch(query)
  }
}

/**
 * Returns the components that use a query. They are functions in `meta` of its observers, so that dehydrated state
 * omits them.
 */
function observersOf(query: Query): RequestObserver[] {
  return query.observers.flatMap(({ options }) => (options.meta?.['observer'] as RequestObserver | undefined) ?? [])
}
