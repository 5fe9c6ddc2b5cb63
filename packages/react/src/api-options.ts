import type { ApiError, ParamsOption, QueryOption, RouteOf } from '@sdk/protocol'
import type {
  CallOptions,
  CallOutput,
  DurableOption,
  IsDurable,
  IsEvery,
  RequestOptions,
  RunState,
} from '@sdk/frontend'
import type { OptimisticCache } from './optimistic.ts'
import type { FetchedRoute, QueryRoute } from './query-route.ts'

/** The data that a route returns. `I` is the union of the names in `expand`. */
export type ApiOutput<R extends string, I = never> = IsEvery<R> extends true ? unknown : CallOutput<R, I>

/** Options for `useAPI` that every route accepts. */
export interface ApiBaseOptions<R extends string, I = never> extends RequestOptions {
  /**
   * Called for every chunk of a streamed response, in order. If it returns a promise, the next chunk waits for that
   * promise.
   */
  onChunk?: ((chunk: RouteOf<R>['output']) => unknown) | undefined
  /**
   * Called after a request succeeds, if the component is still mounted. After a call to `invoke`, it is called even if
   * the component has been unmounted.
   */
  onSuccess?: ((data: CallOutput<R, I>) => unknown) | undefined
  /** Called after a request fails, under the same conditions as `onSuccess`. A cancellation is not a failure. */
  onError?: ((error: ApiError) => unknown) | undefined
}

/** Options for a GET route. */
export type ApiQueryOptions<R extends string, Data = CallOutput<R>, I = never> = ApiBaseOptions<R, I> &
  ParamsOption<R> &
  QueryOption<R, I> & {
    /** Whether to send requests. @default true */
    enabled?: boolean | undefined
    /** How long data is fresh, in ms. Fresh data is not fetched again on mount or focus. @default 0 */
    staleTime?: number | undefined
    /**
     * Whether to show every change of the data when it happens. Requires `live` in `SdkProvider` and on the server's
     * resource. @default false
     */
    live?: boolean | undefined
    /** The interval in ms at which data is fetched again. @default never */
    refetchInterval?: number | undefined
    /** Whether to keep the previous data while data for new `params` or a new `query` is loading. @default false */
    keepPreviousData?: boolean | undefined
    /** Derives `data` from the payload. The component renders only when the result changes. */
    select?: ((data: CallOutput<R, I>) => Data) | undefined
    /**
     * Whether the component suspends until the first data arrives. If the first request fails, the nearest error
     * boundary receives the error. The component does not suspend on a server, during hydration or while auth is
     * loading: `data` is then undefined. @default false
     */
    suspense?: boolean | undefined
  }

/** Options for routes other than GET routes. `params` and `query` can also be passed to `invoke`. */
export type ApiMutationOptions<R extends string> = ApiBaseOptions<R> &
  DurableOption<R> &
  Partial<ParamsOption<R> & QueryOption<R>> & {
    /** The GET routes to fetch again after a request succeeds. Live data is requested over its connection. */
    invalidates?: readonly QueryRoute[] | undefined
    /**
     * Changes the cached data of GET routes before the server responds. Receives the arguments of `invoke`.
     * @example (cache, task) => cache.update('GET /api/v1/tasks', (old) => ({ ...old, data: [task, ...old.data] }))
     */
    optimistic?: ((cache: OptimisticCache, ...input: InvokeArguments<R>) => void) | undefined
    /**
     * The behavior of `invoke` while another request is in progress: `parallel` sends the new request immediately,
     * `latest` cancels the other request, and `queue` waits until it has finished.
     * @default 'parallel'; 'latest' for streams
     */
    concurrency?: 'parallel' | 'latest' | 'queue' | undefined
    /**
     * Whether requests of a signed-in user wait in the browser until the server responds, even across reloads, and are
     * sent in order, each exactly once. Requires `<SdkProvider offline={offline}>`. @default false
     */
    offline?: boolean | undefined
  }

/**
 * Options for `useAPI`, by route. Like all types in this file, it is not distributive. Otherwise, the compiler would
 * evaluate the types of every route while the route is still unknown.
 */
export type ApiOptions<R extends string, Data = ApiOutput<R>, I = never> =
  IsEvery<R> extends true ? object : [R] extends [FetchedRoute] ? ApiQueryOptions<R, Data, I> : ApiMutationOptions<R>

/** The properties of every result. `isLoading`, `isSuccess` and `isError` are derived from `status`. */
export interface ApiBaseResult<Data> {
  /** The latest payload; for a stream, the chunks received so far. It is kept when a later request fails. */
  data: Data | undefined
  /** The error of the latest request, or null if that request did not fail. */
  error: ApiError | null
  /** The status of the latest request. */
  status: 'idle' | 'loading' | 'success' | 'error'
  /** Whether a request is in progress. For a GET route, it is true only until there is data. */
  isLoading: boolean
  /** Whether the latest request succeeded. */
  isSuccess: boolean
  /** Whether the latest request failed. The reason is in `error`. */
  isError: boolean
  /** Whether chunks are arriving. */
  isStreaming: boolean
  /** The number of chunks received. */
  chunks: number
  /**
   * Cancels requests in progress. For a GET route, it cancels the requests of every component that uses the route. For
   * a durable agent, it cancels the run, which otherwise continues after the component unmounts or the page is closed.
   * Data received so far is kept.
   */
  cancel: () => void
}

/** The result for a GET route, which is fetched automatically. */
export interface ApiQueryResult<R extends string, Data = CallOutput<R>> extends ApiBaseResult<Data> {
  /** Whether any request for the route is in progress. */
  isFetching: boolean
  /** Whether the data is live and the connection is open. If false, the data may be outdated. */
  isLive: boolean
  /** Fetches the data again. The promise does not need an error handler, since the state contains the error. */
  refetch: () => Promise<Data | undefined>
}

/** The result for any other route, which is called with `invoke`. */
export interface ApiMutationResult<R extends string> extends ApiBaseResult<CallOutput<R>> {
  /** Sends a request. The promise does not need an error handler, since the state contains the error. */
  invoke: (...input: InvokeArguments<R>) => Promise<CallOutput<R>>
  /** Clears the state. */
  reset: () => void
  /**
   * The newest run of a durable agent, with its `id` and `status`, or null if there is none. While it waits for an
   * event, `isLoading` is true and `waiting` contains the name of the event.
   */
  run: (IsDurable<R> extends true ? RunState : never) | null
}

/** The result of `useAPI`, by route. */
export type ApiResult<R extends string, Data = ApiOutput<R>> =
  IsEvery<R> extends true
    ? ApiBaseResult<unknown>
    : [R] extends [FetchedRoute]
      ? ApiQueryResult<R, Data>
      : ApiMutationResult<R>

/** The arguments of `invoke`: the payload if the route has one (POST, PUT, PATCH), and options for this request. */
export type InvokeArguments<R extends string> = [R] extends [`${'DELETE' | 'OPTIONS'} ${string}`]
  ? [options?: InvokeOptions<R>]
  : undefined extends RouteOf<R>['input']
    ? [input?: RouteOf<R>['input'], options?: InvokeOptions<R>]
    : [input: RouteOf<R>['input'], options?: InvokeOptions<R>]

/** Options for one request. */
export type InvokeOptions<R extends string> = Partial<CallOptions<R>> & {
  /**
   * The negative id by which later mutations with `offline: true` can name the row that this one creates, from
   * `temporaryId()`. @default none
   */
  temporaryId?: number | undefined
}
