import { hashKey, replaceEqualDeep, type Query, type QueryClient } from '@tanstack/react-query'
import type { CallOptions, CallOutput, GatherOptions, HttpClient, OptionsArgument, SendOptions } from '@sdk/frontend'
import type { QueryRoute } from './api-options.ts'
import { announce, exchange, type Caller, type Watcher } from './caller.ts'
import { beginFetch, isStream, showChunks } from './live-query.ts'
import type { QueryClientLike } from './sdk-context.ts'
import { identityOf } from './use-auth.ts'

/** A GET route as the functions of TanStack Query take it, by the part of their options that we fill. */
export interface ApiQuery<T> {
  /** The route, what goes into its request, and who is signed in. */
  queryKey: readonly unknown[]
  queryHash: string
  queryFn: (context: { client: QueryClientLike }) => Promise<T>
  /** The client of the SDK does that. */
  retry: false
  /** Without a network a request fails, rather than wait unseen. */
  networkMode: 'always'
  structuralSharing: (old: unknown, data: unknown) => unknown
}

/** What a query is made of. */
export type QueryInput = Omit<Caller, 'queries'>

/**
 * A GET route for `prefetchQuery`, loaders and `useSuspenseQuery` of TanStack Query, in the cache that `useAPI` reads.
 * @example await queryClient.prefetchQuery(apiQueryOptions(client, 'GET /api/v1/tasks', { query: { done: false } }))
 */
export function apiQueryOptions<R extends QueryRoute>(
  client: HttpClient,
  route: R,
  ...options: OptionsArgument<CallOptions<R>>
): ApiQuery<CallOutput<R>>
export function apiQueryOptions(client: HttpClient, route: string, options: SendOptions = {}): ApiQuery<unknown> {
  const identity = identityOf(client)
  // Kept under nobody's key, what comes for somebody would be shown to all.
  if (identity === undefined) throw new TypeError('it is not known yet who is signed in: await auth.token() before')
  return toQuery({ client, route, options, identity })
}

/** Equal for what is equal by value. */
export function toHash(value: unknown): string {
  const text = JSON.stringify([value], (_name, part: unknown) => (typeof part === 'bigint' ? `${part}` : part))
  return hashKey(JSON.parse(text) as unknown[])
}

/** A GET route as a query, untyped. */
export function toQuery(input: QueryInput): ApiQuery<unknown> {
  const { params, query, headers, delimiter } = input.options
  // By value, the route first for whoever reads the devtools, and never shared between users.
  const queryKey = [input.route, { params, query, headers, delimiter }, input.identity ?? null]
  const queryHash = toHash(queryKey)
  return {
    queryKey,
    queryHash,
    queryFn: ({ client }) => fetchRoute(input, queryOf(client as QueryClient, { queryKey, queryHash })),
    retry: false,
    networkMode: 'always',
    // To compare a growing list with itself at every frame is quadratic.
    structuralSharing: (old, data) => (isStream(data) ? data : replaceEqualDeep(old, data)),
  }
}

/** The query of a key in a cache. */
export function queryOf(queries: QueryClient, options: { queryKey: readonly unknown[]; queryHash: string }): Query {
  return queries.getQueryCache().build(queries, options)
}

/** Fetches for a query. A stream shows its chunks in the cache as they come. */
export async function fetchRoute(input: QueryInput, query: Query): Promise<unknown> {
  const controller = beginFetch(query, input.options.signal)
  const { signal } = controller
  const begin = (): GatherOptions => {
    // The token was read after the key was made: what came for somebody else must not be kept under it.
    if (identityOf(input.client) !== input.identity) controller.abort()
    return {
      // Every component on the query hears of every chunk, and the next one waits for all of them.
      async onChunk(chunk) {
        for (const watcher of watchersOf(query)) await watcher().options.onChunk?.(chunk as never)
      },
      show: (chunks) => signal.aborted || showChunks(query, chunks),
    }
  }
  try {
    const answer = exchange(input, { options: { ...input.options, signal }, begin })
    announce(answer, () => watchersOf(query))
    return await answer
  } finally {
    controller.abort() // so that it listens to no signal of others any more
  }
}

/** The components on a query: in `meta` of their observers, as functions, which no dehydrated state holds. */
function watchersOf(query: Query): Watcher[] {
  return query.observers.flatMap(({ options }) => (options.meta?.['watcher'] as Watcher | undefined) ?? [])
}
