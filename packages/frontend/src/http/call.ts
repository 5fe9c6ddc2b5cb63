import type {
  Bodiless,
  ExpandName,
  InputArguments,
  OptionsArgument,
  ParamsOption,
  QueryOption,
  RouteName,
  RouteOf,
} from '@sdk/protocol'
import type { UrlOptions } from './url.ts'

/** Options for every request. */
export interface RequestOptions {
  /** Additional request headers. */
  headers?: Readonly<Record<string, string>> | undefined
  /** The signal that aborts the request; the call then rejects with the signal's reason. @default never */
  signal?: AbortSignal | undefined
  /** The string that separates the chunks of a streamed response. @default depends on the content type */
  delimiter?: string | undefined
  /**
   * The time in ms after which the call rejects with the code `TIMEOUT`. The time includes all retries and ends when
   * the response is complete or a stream starts. `Infinity` disables the timeout.
   * @default the client's `timeoutMs`
   */
  timeoutMs?: number | undefined
  /**
   * The maximum number of retries, each after the delay that the server requests. GET, HEAD, PUT, DELETE, OPTIONS and
   * requests with an `Idempotency-Key` are retried after 429 and 503. Reads and requests with a key are also retried
   * after 502, 504 and network errors, at most twice. @default the client's `retry`
   */
  retry?: number | false | undefined
  /** Whether to send cookies, as in `fetch`. @default the client's `credentials` */
  credentials?: RequestCredentials | undefined
}

/** Options for a call. `params` is required if the path has parameters; `query` is typed if the route declares it. */
export type CallOptions<R extends string = string, I = ExpandName<R>> = RequestOptions &
  ParamsOption<R> &
  QueryOption<R, I>

/** The arguments after the route: a payload and options for POST, PUT and PATCH, only options for all other methods. */
export type CallArguments<R extends string> =
  IsEvery<R> extends true
    ? unknown[]
    : [R] extends [Bodiless]
      ? OptionsArgument<CallOptions<R>>
      : [...InputArguments<RouteOf<R>['input'], CallOptions<R>>]

/**
 * Whether `R` is the union of all routes, as it is before inference. Computing the types of all routes would be slow.
 */
export type IsEvery<R extends string> = [RouteName] extends [R] ? IsUnion<R> : false

// Does not use tuples, because the compiler would create one for each route.
type IsUnion<R, Each = R> = R extends unknown ? (Each & string extends R ? false : true) : never

/** Untyped options for a request. */
export type SendOptions = RequestOptions & UrlOptions

/** Splits the arguments after the route into the payload, if the method has one, and the options. */
export function toArguments(route: string, rest: readonly unknown[]): [input: unknown, options?: SendOptions] {
  // The methods with a payload all start with P: POST, PUT and PATCH.
  return (route.startsWith('P') ? rest : [undefined, rest[0]]) as ReturnType<typeof toArguments>
}
