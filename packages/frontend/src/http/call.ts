import type {
  Bodiless,
  InputArguments,
  OptionsArgument,
  ParamsOption,
  QueryOption,
  RouteName,
  RouteOf,
} from '@sdk/protocol'
import type { UrlOptions } from './url.ts'

/** What every request takes, whatever its route. */
export interface RequestOptions {
  /** Further request headers. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Stops the request; the call then rejects with the signal's reason. @default never */
  signal?: AbortSignal | undefined
  /** Split a streamed response by this text. @default by the response's content type */
  delimiter?: string | undefined
  /**
   * After so many ms the call rejects with the code `TIMEOUT`: with all its retries until the answer is there,
   * of a stream until it begins. `Infinity` is never. @default the client's
   */
  timeoutMs?: number | undefined
  /**
   * Send again at most so many times, after the wait that the server asks for: GET, HEAD, PUT, DELETE, OPTIONS, and
   * whatever has an `Idempotency-Key` header, after 429 and 503; reads and what has a key also after 502, 504
   * and network errors, at most twice. @default the client's
   */
  retry?: number | false | undefined
  /** Whether cookies go with it, as of `fetch`. @default the client's */
  credentials?: RequestCredentials | undefined
}

/** The options of a call: `params` are required where the path has some, `query` is typed where the route declares it. */
export type CallOptions<R extends string = string> = RequestOptions & ParamsOption<R> & QueryOption<R>

/**
 * What follows the route in a call: routes that carry a payload (POST, PUT, PATCH) take it first and options second,
 * all others take options alone.
 */
export type CallArguments<R extends string> =
  IsEvery<R> extends true
    ? unknown[]
    : [R] extends [Bodiless]
      ? OptionsArgument<CallOptions<R>>
      : [...InputArguments<RouteOf<R>['input'], CallOptions<R>>]

/**
 * Is `R` the union of all routes, as it is to a compiler that does not know the route yet? Types that depend on the
 * route stop here then: to compute them for every route is slow.
 */
export type IsEvery<R extends string> = [RouteName] extends [R] ? IsUnion<R> : false

// Without tuples: a compiler would make one for each route.
type IsUnion<R, Each = R> = R extends unknown ? (Each & string extends R ? false : true) : never

/** What a request takes, untyped. */
export type SendOptions = RequestOptions & UrlOptions

/** Takes apart what follows the route in a call: the payload, where its method carries one, and the options. */
export function toArguments(route: string, rest: readonly unknown[]): [input: unknown, options?: SendOptions] {
  // The methods with a payload are those that begin with P: POST, PUT and PATCH.
  return (route.startsWith('P') ? rest : [undefined, rest[0]]) as ReturnType<typeof toArguments>
}
