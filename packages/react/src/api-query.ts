import { hashKey, replaceEqualDeep, type Query, type QueryClient } from '@tanstack/react-query'
import {
  toApiError,
  type CallOptions,
  type CallOutput,
  type HttpClient,
  type OptionsArgument,
  type SendOptions,
} from '@sdk/frontend'
import type { QueryRoute } from './api-options.ts'
import { collect } from './collect.ts'
import { beginFetch, findQuery, isStream, showChunks } from './live-query.ts'
import type { QueryClientLike } from './sdk-context.ts'

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
export interface QueryInput {
  readonly client: HttpClient
  readonly route: string
  readonly options: SendOptions
  /** Who is signed in; null for nobody. */
  readonly identity: string | null
}

/** What a component wants to hear of a query; in `meta` of its observer, as a function, which no dehydrated state holds. */
export type Watcher = () => { onChunk?: ((chunk: never) => unknown) | undefined }

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

/** The key of a query: by value, the route first for whoever reads the devtools, and never shared between users. */
function toKey({ route, options, identity }: QueryInput): readonly unknown[] {
  const { params, query, headers, delimiter } = options
  return [route, { params, query, headers, delimiter }, identity]
}

/** Equal for what is equal by value. */
export function toHash(value: unknown): string {
  const text = JSON.stringify([value], (_name, part: unknown) => (typeof part === 'bigint' ? `${part}` : part))
  return hashKey(JSON.parse(text) as unknown[])
}

/** A GET route as a query, untyped. */
export function toQuery(input: QueryInput): ApiQuery<unknown> {
  const queryKey = toKey(input)
  const queryHash = toHash(queryKey)
  return {
    queryKey,
    queryHash,
    queryFn: ({ client }) => fetchRoute(input, findQuery(client as QueryClient, queryHash)),
    retry: false,
    networkMode: 'always',
    // To compare a growing list with itself at every frame is quadratic.
    structuralSharing: (old, data) => (isStream(data) ? data : replaceEqualDeep(old, data)),
  }
}

/** Fetches for a query. A stream shows its chunks in the cache as they come. */
export async function fetchRoute(input: QueryInput, query: Query | undefined): Promise<unknown> {
  const { client, route, options, identity } = input
  if (query === undefined) throw new TypeError(`the query of ${route} is in no cache`)
  const controller = beginFetch(query, options.signal)
  const { signal } = controller
  try {
    const reply = await client.send(route, undefined, { ...options, signal })
    // The token was read after the key was made: what came for somebody else must not be kept under it.
    if (identityOf(client) !== identity) controller.abort()
    signal.throwIfAborted()
    if (reply.kind === 'value') return reply.value
    const show = (chunks: unknown[]): unknown => signal.aborted || showChunks(query, chunks)
    return await collect(reply.chunks, { onChunk: (chunk) => tellWatchers(query, chunk), show })
  } catch (thrown) {
    throw signal.aborted ? thrown : toApiError(thrown)
  } finally {
    controller.abort() // so that it listens to no signal of others any more
  }
}

/** Every component on the query hears of every chunk, and the next one waits for all of them. */
async function tellWatchers(query: Query, chunk: unknown): Promise<void> {
  for (const { options } of query.observers) {
    const watcher = options.meta?.['watcher'] as Watcher | undefined
    await watcher?.().onChunk?.(chunk as never)
  }
}

/** Who is signed in, by id: null for nobody, undefined while that is not known. */
function identityOf({ options }: HttpClient): string | null | undefined {
  const auth = options.auth?.snapshot()
  return auth?.loading === true ? undefined : (auth?.user?.id ?? null)
}
