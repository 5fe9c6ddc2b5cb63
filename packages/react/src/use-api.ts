import type { ApiError, RouteName, RouteOf } from '@sdk/protocol'
import type { CallOptions, CallOutput, OptionsArgument, ParamsOption, QueryOption } from '@sdk/frontend'
import { useApiCall } from './use-api-call.ts'
import { useApiQuery } from './use-api-query.ts'

/** Options of `useAPI`, whatever the route. */
export interface ApiBaseOptions<R extends string> {
  /** Further request headers. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Separator of a streamed response. @default by the response's content type */
  delimiter?: string | undefined
  /** Called for every chunk of a streamed response, in order; if it returns a promise, the next chunk waits for it. */
  onChunk?: ((chunk: RouteOf<R>['output']) => unknown) | undefined
}

/** Options of a GET route. */
export type ApiQueryOptions<R extends string> = ApiBaseOptions<R> &
  ParamsOption<R> &
  QueryOption<R> & {
    /** False sends nothing. @default true */
    enabled?: boolean | undefined
    /** For so many ms data counts as fresh and is not fetched again on mount or focus. @default 0 */
    staleTime?: number | undefined
    /** Fetch again every so many ms. @default never */
    refetchInterval?: number | undefined
  }

/** Options of any other route; `params` and `query` may also come with `invoke`. */
export type ApiMutationOptions<R extends string> = ApiBaseOptions<R> &
  Partial<ParamsOption<R> & QueryOption<R>> & {
    /** Called after a request of this component succeeded. */
    onSuccess?: ((data: CallOutput<R>) => unknown) | undefined
    /** Called after a request of this component failed; a cancel is no failure. */
    onError?: ((error: ApiError) => unknown) | undefined
  }

/** Options of `useAPI`, by the route. */
export type ApiOptions<R extends string> = R extends QueryRoute ? ApiQueryOptions<R> : ApiMutationOptions<R>

/** What every route's result has. `isLoading`, `isSuccess` and `isError` derive from `status`. */
export interface ApiBaseResult<R extends string> {
  /** The latest payload: the chunks so far where the route streams. It stays when a later request fails. */
  data: CallOutput<R> | undefined
  error: ApiError | null
  status: 'idle' | 'loading' | 'success' | 'error'
  /** A request is in progress; of a GET route, the first one. */
  isLoading: boolean
  isSuccess: boolean
  isError: boolean
}

/** The result of a GET route, which is fetched by itself. */
export interface ApiQueryResult<R extends string> extends ApiBaseResult<R> {
  /** Any request of the route is in progress. */
  isFetching: boolean
  /** Fetches again. The promise may be left alone: the state tells of failures. */
  refetch: () => Promise<CallOutput<R> | undefined>
}

/** The result of any other route, which is sent by `invoke`. */
export interface ApiMutationResult<R extends string> extends ApiBaseResult<R> {
  /** Sends a request. The promise may be left alone: the state tells of failures. */
  invoke: (...input: InvokeArguments<R>) => Promise<CallOutput<R>>
  /** Clears the state. */
  reset: () => void
  /** Stops the newest request; what has come so far stays. */
  cancel: () => void
  /** Chunks are coming in. */
  isStreaming: boolean
  /** How many chunks have come. */
  chunks: number
}

/** The result of `useAPI`, by the route. */
export type ApiResult<R extends string> = R extends QueryRoute ? ApiQueryResult<R> : ApiMutationResult<R>

/** What `invoke` takes: the payload, and options of this one request. */
export type InvokeArguments<R extends string> = undefined extends RouteOf<R>['input']
  ? [input?: RouteOf<R>['input'], options?: Partial<CallOptions<R>>]
  : [input: RouteOf<R>['input'], options?: Partial<CallOptions<R>>]

type QueryRoute = `${'GET' | 'HEAD'} ${string}`

/**
 * Calls a route. GET routes are fetched when the component mounts, all others by `invoke`.
 * @example const tasks = useAPI('GET /api/v1/tasks', { query: { done: false } })
 * @example const { data, invoke, isLoading } = useAPI('POST /agent/summarize', { onChunk: show })
 */
export function useAPI<R extends RouteName>(route: R, ...options: OptionsArgument<ApiOptions<R>>): ApiResult<R>
/** @example const one = useAPI({ route: 'GET /api/v1/tasks/:id', params: { id: 7 } }) */
export function useAPI<R extends RouteName>(options: { route: R } & ApiOptions<R>): ApiResult<R>
export function useAPI(first: string | { route: string }, second: object = {}): unknown {
  const options = typeof first === 'string' ? second : first
  const route = typeof first === 'string' ? first : first.route
  const isQuery = /^(?:GET|HEAD) /.test(route)
  const query = useApiQuery(isQuery ? route : null, options)
  const call = useApiCall(route, options)
  const result = isQuery ? query : call
  return {
    ...result,
    isLoading: result.status === 'loading',
    isSuccess: result.status === 'success',
    isError: result.status === 'error',
  }
}
