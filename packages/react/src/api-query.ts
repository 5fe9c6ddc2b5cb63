import { hashKey, replaceEqualDeep, type Query, type QueryClient } from '@tanstack/react-query'
import type { CallOptions, CallOutput, ExpandName, HttpClient, OptionsArgument, SendOptions } from '@sdk/frontend'
import { sendRequest, type RequestContext, type RequestObserver } from './send-request.ts'
import { isStreamData, showChunks, stopFetch } from './live-query.ts'
import { keepChanges } from './optimistic.ts'
import { toPlainJson, type QueryRoute } from './query-route.ts'
import { identityOf, type QueryClientLike } from './sdk-context.ts'

/** The options that TanStack Query functions need for a GET route. */
export interface ApiQuery<T> {
  /** The cache key: the route, the request options and the user's id, as plain JSON. */
  queryKey: readonly unknown[]
  queryHash: string
  queryFn: (context: { client: QueryClientLike }) => Promise<T>
  /** Always false, because the SDK's client retries requests. */
  retry: false
  /** The mode in which requests fail instead of pausing while offline. */
  networkMode: 'always'
  structuralSharing: (old: unknown, data: unknown) => unknown
}

/** The request of a query. */
export type QueryInput = Omit<RequestContext, 'queryClient'>

/**
 * Returns the query options for a GET route, for TanStack Query's `prefetchQuery`, `useSuspenseQuery` and loaders. They
 * use the same cache as `useAPI`.
 * @example await queryClient.prefetchQuery(apiQueryOptions(client, 'GET /api/v1/tasks', { query: { done: false } }))
 */
export function apiQueryOptions<R extends QueryRoute, const I extends ExpandName<R> = never>(
  client: HttpClient,
  route: R,
  ...options: OptionsArgument<CallOptions<R, I>>
): ApiQuery<CallOutput<R, I>>
export function apiQueryOptions(client: HttpClient, route: string, options: SendOptions = {}): ApiQuery<unknown> {
  const identity = identityOf(client)
  // Without this check, a user's data would be cached under the key for signed-out users and shown to everyone.
  if (identity === undefined) throw new TypeError('auth is still loading: await auth.token() first')
  return toQuery({ client, route, options, identity })
}

/** Converts an untyped request to a query. */
export function toQuery(input: QueryInput): ApiQuery<unknown> {
  const { params, query, headers, delimiter } = input.options
  // The route comes first, for readability in the devtools. The key includes the user, so that users do not share data.
  const queryKey = toPlainJson([input.route, { params, query, headers, delimiter }, input.identity ?? null])
  const id = { queryKey, queryHash: hashKey(queryKey) }
  return {
    ...id,
    async queryFn({ client }) {
      const cached = buildQuery(client as QueryClient, id)
      const data = await fetchRoute(input, cached)
      return keepChanges(cached, cached.state.data, data)
    },
    retry: false,
    networkMode: 'always',
    // The data of a stream is not compared: comparing a growing list on every update would take quadratic time.
    structuralSharing: (old, data) => (isStreamData(data) ? data : replaceEqualDeep(old, data)),
  }
}

/** Returns the query for a key, and adds it to the cache if it is missing. */
export function buildQuery(client: QueryClient, options: { queryKey: readonly unknown[]; queryHash: string }): Query {
  return client.getQueryCache().build(client, options)
}

/** Fetches the data for a query. The chunks of a stream are stored in the cache as they arrive. */
export async function fetchRoute(input: QueryInput, query: Query): Promise<unknown> {
  const controller = new AbortController()
  // Aborts when the fetch is stopped or fails. TanStack Query's signal is not used: once it has been read, an unmount and
  // an immediate remount, as in StrictMode, would send two requests.
  query.promise?.catch(() => controller.abort())
  const outer = input.options.signal
  try {
    return await sendRequest(input, {
      signals: [controller.signal, outer],
      // Components are functions in the `meta` of a query's observers, so that serialized state omits them.
      observers: () =>
        query.observers.flatMap(({ options }) => (options.meta?.['observer'] as RequestObserver | undefined) ?? []),
      onReply() {
        // The token is read after the key is created, so the data may belong to a different user. Such data must not
        // be cached.
        if (identityOf(input.client) !== input.identity) controller.abort()
        return (chunks) => controller.signal.aborted || showChunks(query, chunks)
      },
    })
  } finally {
    if (outer?.aborted) stopFetch(query)
  }
}
