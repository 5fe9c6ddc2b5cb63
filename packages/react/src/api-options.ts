import type { ApiError, ParamsOption, QueryOption, RouteOf } from '@sdk/protocol'
import type { CallOptions, CallOutput, IsEvery, RequestOptions } from '@sdk/frontend'
import type { OptimisticCache } from './optimistic.ts'
import type { FetchedRoute, QueryRoute } from './query-route.ts'

/** The data of a route. */
export type ApiOutput<R extends string> = IsEvery<R> extends true ? unknown : CallOutput<R>

/** Options of `useAPI`, whatever the route. */
export interface ApiBaseOptions<R extends string> extends RequestOptions {
  /** Called for every chunk of a streamed response, in order; if it returns a promise, the next chunk waits for it. */
  onChunk?: ((chunk: RouteOf<R>['output']) => unknown) | undefined
  /** Called after a request succeeded while the component is there; after an `invoke` also when it has left. */
  onSuccess?: ((data: CallOutput<R>) => unknown) | undefined
  /** Called after a request failed, like `onSuccess`; a stop is no failure. */
  onError?: ((error: ApiError) => unknown) | undefined
}

/** Options of a GET route. */
export type ApiQueryOptions<R extends string, Data = CallOutput<R>> = ApiBaseOptions<R> &
  ParamsOption<R> &
  QueryOption<R> & {
    /** False sends nothing. @default true */
    enabled?: boolean | undefined
    /** For so many ms data counts as fresh and is not fetched again on mount or focus. @default 0 */
    staleTime?: number | undefined
    /** Fetch again every so many ms. @default never */
    refetchInterval?: number | undefined
    /** With other `params` or another `query`, show what is there until their answer comes. @default false */
    keepPreviousData?: boolean | undefined
    /** Makes `data` of the payload; a component renders only when what it makes has changed. */
    select?: ((data: CallOutput<R>) => Data) | undefined
    /**
     * The nearest `Suspense` waits for the first data, and an error boundary gets its error. Nobody waits on a server,
     * while a page hydrates, and until it is known who is signed in: there `data` is undefined. @default false
     */
    suspense?: boolean | undefined
  }

/** Options of any other route; `params` and `query` may also come with `invoke`. */
export type ApiMutationOptions<R extends string> = ApiBaseOptions<R> &
  Partial<ParamsOption<R> & QueryOption<R>> & {
    /** GET routes to fetch again after a success. */
    invalidates?: readonly QueryRoute[] | undefined
    /**
     * Changes what is cached of GET routes before the server has answered; gets what `invoke` was given.
     * @example (cache, task) => cache.update('GET /api/v1/tasks', (old) => ({ ...old, data: [task, ...old.data] }))
     */
    optimistic?: ((cache: OptimisticCache, ...input: InvokeArguments<R>) => void) | undefined
    /**
     * What an `invoke` does while another one runs: go `parallel` to it, as the `latest` stop it, or wait in a `queue`.
     * @default 'parallel', of streams 'latest'
     */
    concurrency?: 'parallel' | 'latest' | 'queue' | undefined
  }

/**
 * Options of `useAPI`, by the route. Like all types here it does not distribute: while the route is not known yet,
 * a compiler would read the types of every route.
 */
export type ApiOptions<R extends string, Data = ApiOutput<R>> =
  IsEvery<R> extends true ? object : [R] extends [FetchedRoute] ? ApiQueryOptions<R, Data> : ApiMutationOptions<R>

/** What every route's result has. `isLoading`, `isSuccess` and `isError` derive from `status`. */
export interface ApiBaseResult<Data> {
  /** The latest payload: the chunks so far where the route streams. It stays when a later request fails. */
  data: Data | undefined
  /** Why the latest request failed; null where it did not. */
  error: ApiError | null
  /** Where the latest request stands. */
  status: 'idle' | 'loading' | 'success' | 'error'
  /** A request is in progress; of a GET route, the first one, until there is data. */
  isLoading: boolean
  /** The latest request succeeded. */
  isSuccess: boolean
  /** The latest request failed; `error` says why. */
  isError: boolean
  /** Chunks are coming in. */
  isStreaming: boolean
  /** How many chunks have come. */
  chunks: number
  /** Stops what runs, of a GET route for every component on it; what has come so far stays. */
  cancel: () => void
}

/** The result of a GET route, which is fetched by itself. */
export interface ApiQueryResult<R extends string, Data = CallOutput<R>> extends ApiBaseResult<Data> {
  /** Any request of the route is in progress. */
  isFetching: boolean
  /** Fetches again. The promise may be left alone: the state tells of failures. */
  refetch: () => Promise<Data | undefined>
}

/** The result of any other route, which is sent by `invoke`. */
export interface ApiMutationResult<R extends string> extends ApiBaseResult<CallOutput<R>> {
  /** Sends a request. The promise may be left alone: the state tells of failures. */
  invoke: (...input: InvokeArguments<R>) => Promise<CallOutput<R>>
  /** Clears the state. */
  reset: () => void
}

/** The result of `useAPI`, by the route. */
export type ApiResult<R extends string, Data = ApiOutput<R>> =
  IsEvery<R> extends true
    ? ApiBaseResult<unknown>
    : [R] extends [FetchedRoute]
      ? ApiQueryResult<R, Data>
      : ApiMutationResult<R>

/** What `invoke` takes: the payload where the route carries one (POST, PUT, PATCH), and options of this one request. */
export type InvokeArguments<R extends string> = [R] extends [`${'DELETE' | 'OPTIONS'} ${string}`]
  ? [options?: Partial<CallOptions<R>>]
  : undefined extends RouteOf<R>['input']
    ? [input?: RouteOf<R>['input'], options?: Partial<CallOptions<R>>]
    : [input: RouteOf<R>['input'], options?: Partial<CallOptions<R>>]
