import type { CallOutput, ExpandName, ParamsOption, QueryOption, RouteArguments, RouteOf } from '@sdk/protocol'

/** Options for each call of a route with `ctx.call`. */
export interface NestedCallOptions {
  /** The headers of the call, such as `If-Match`. @default only those that identify the caller */
  headers?: Readonly<Record<string, string>> | undefined
  /** A signal that aborts the call. It also aborts when the client disconnects. @default the signal of the request */
  signal?: AbortSignal | undefined
}

/** Options for a call of a route. `params` is required if the path has parameters. */
export type RouteCallOptions<R extends string = string, I = ExpandName<R>> = NestedCallOptions &
  ParamsOption<R> &
  QueryOption<R, I>

/** The arguments after the route: a payload and options for POST, PUT and PATCH, only options for all other methods. */
export type RouteCallArguments<R extends string> = RouteArguments<R, RouteCallOptions<R>>

/** The result of a call of a route: the parsed JSON, or the chunks of a route that streams. */
export type RouteCallResult<R extends string, I = never> = RouteOf<R>['stream'] extends true
  ? AsyncIterable<RouteOf<R>['output']>
  : CallOutput<R, I>

/** A call of a route by its name, without types. */
export interface RouteCall {
  readonly route: string
  readonly input?: unknown
  readonly params?: Readonly<Record<string, string | number>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

/** Converts the arguments of `ctx.call` to a call. */
export function toRouteCall(route: string, rest: readonly unknown[]): RouteCall {
  // The methods with a payload all start with P: POST, PUT and PATCH.
  const [input, options] = route.startsWith('P') ? rest : [undefined, rest[0]]
  return { ...(options as Omit<RouteCall, 'route' | 'input'> | undefined), route, input }
}
