import { hashKey, useQuery, type QueryClient } from '@tanstack/react-query'
import type { ApiError } from '@sdk/protocol'
import { useCallback, useEffect } from 'react'
import { toApiError, type HttpClient, type SendOptions } from '@sdk/frontend'
import type { CallState } from './api-call.ts'
import { collect } from './collect.ts'
import { useSdk } from './sdk-context.ts'
import { useIdentity } from './use-auth.ts'
import { useLatest } from './use-latest.ts'

/** Options of a GET route, untyped. */
export interface QueryCallOptions extends Omit<SendOptions, 'signal'> {
  enabled?: boolean | undefined
  staleTime?: number | undefined
  refetchInterval?: number | undefined
  onChunk?: ((chunk: never) => unknown) | undefined
}

/** What a component sees of a GET route. */
export interface QueryCallState extends Pick<CallState, 'status' | 'data' | 'error'> {
  readonly isFetching: boolean
  readonly refetch: () => Promise<unknown>
}

/** A GET route as a query. A route of null sends nothing: hooks are called alike for every kind of route. */
export function useApiQuery(route: string | null, options: QueryCallOptions): QueryCallState {
  const { client, queryClient } = useSdk()
  const queries = queryClient as QueryClient
  const identity = useIdentity()
  const latest = useLatest(options)
  const { params, query, headers, delimiter } = options
  const request: SendOptions = { params, query, headers, delimiter }
  // By value, the route first for whoever reads the devtools, and never shared between users.
  const queryKey = [route ?? 'no GET', request, identity ?? null]
  const hash = hashKey(queryKey)
  const isWanted = route !== null && options.enabled !== false
  const result = useQuery<unknown, ApiError>(
    {
      queryKey,
      queryKeyHashFn: hashKey,
      queryFn: () => {
        const signal = renewSignal(queries, hash)
        const onChunk = (chunk: unknown): unknown => latest.current.onChunk?.(chunk as never)
        return fetchRoute(client, route ?? '', { ...request, signal, onChunk })
      },
      enabled: isWanted && identity !== undefined,
      retry: false,
      // Without a network a request fails, rather than wait unseen.
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: options.staleTime ?? 0,
      refetchInterval: options.refetchInterval ?? false,
    },
    queries,
  )
  useEffect(() => () => queueMicrotask(() => abortUnobserved(queries, hash)), [queries, hash])
  const isWaiting = identity === undefined
  return {
    status: result.isPending ? toPending(result.isFetching || (isWanted && isWaiting)) : result.status,
    data: result.data,
    error: result.error,
    isFetching: result.isFetching,
    refetch: useRefetch(result.refetch, isWaiting),
  }
}

/** Nothing to fetch again while it is not known for whom: the first fetch comes by itself then. */
function useRefetch(refetch: Refetch, isWaiting: boolean): () => Promise<unknown> {
  return useCallback(() => {
    if (isWaiting) return Promise.resolve()
    const promise = refetch({ throwOnError: true }).then(({ data }) => data)
    promise.catch(() => {}) // the state tells of it
    return promise
  }, [refetch, isWaiting])
}

type Refetch = (options: { throwOnError: boolean }) => Promise<{ data: unknown }>

async function fetchRoute(
  client: HttpClient,
  route: string,
  options: SendOptions & { signal: AbortSignal; onChunk: (chunk: unknown) => unknown },
): Promise<unknown> {
  try {
    const reply = await client.send(route, undefined, options)
    return reply.kind === 'value' ? reply.value : await collect(reply.chunks, { ...options, show: () => {} })
  } catch (thrown) {
    throw options.signal.aborted ? thrown : toApiError(thrown)
  }
}

// Not TanStack's own signal: once that is read, leaving and coming back at once, as StrictMode does, sends twice.
const controllers = new WeakMap<object, AbortController>()

function renewSignal(queries: QueryClient, hash: string): AbortSignal {
  const query = queries.getQueryCache().get(hash)
  const controller = new AbortController()
  if (query !== undefined) {
    controllers.get(query)?.abort()
    controllers.set(query, controller)
  }
  return controller.signal
}

function abortUnobserved(queries: QueryClient, hash: string): void {
  const query = queries.getQueryCache().get(hash)
  if (query === undefined || query.getObserversCount() > 0 || query.state.fetchStatus === 'idle') return
  void query.cancel({ revert: true })
  controllers.get(query)?.abort()
}

function toPending(isLoading: boolean): 'loading' | 'idle' {
  return isLoading ? 'loading' : 'idle'
}
