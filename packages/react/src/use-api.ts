import type { ExpandName, RouteName } from '@sdk/protocol'
import type { ApiOptions, ApiOutput, ApiResult } from './api-options.ts'
import { useApiMutation } from './mutation-store.ts'
import { useApiQuery } from './use-api-query.ts'
import { useRequestContext } from './send-request.ts'
import { useLatest } from './use-latest.ts'

// There is one overload for each number of arguments. With a single overload for both forms, the compiler would try the
// wrong form, evaluate every route for it and report false errors.
/**
 * Calls a route. GET routes are fetched when the component mounts; all others are called with `invoke`.
 * @example const one = useAPI({ route: 'GET /api/v1/tasks/:id', params: { id: 7 } })
 */
export function useAPI<R extends RouteName, const I extends ExpandName<R> = never, Data = ApiOutput<R, I>>(
  route: (R & Alone<R>) | ({ route: R } & ApiOptions<R, Data, I>),
): ApiResult<R, Data>
/**
 * Calls a route. GET routes are fetched when the component mounts; all others are called with `invoke`.
 * @example const tasks = useAPI('GET /api/v1/tasks', { query: { done: false } })
 * @example const { data, invoke, isLoading } = useAPI('POST /agent/summarize', { onChunk: show })
 */
export function useAPI<R extends RouteName, const I extends ExpandName<R> = never, Data = ApiOutput<R, I>>(
  route: R,
  options: ApiOptions<R, Data, I> | NoOptions<R>,
): ApiResult<R, Data>
export function useAPI(first: string | { route: string }, second: object = {}): unknown {
  const options = typeof first === 'string' ? { ...second, route: first } : first
  const context = useRequestContext<object>(options.route, options)
  const latest = useLatest(context)
  const isQuery = /^GET|^HEAD/.test(context.route)
  // Both hooks are always called, as React requires; one of them does nothing.
  const query = useApiQuery(isQuery ? context : { ...context, ...DISABLED_QUERY }, latest)
  const mutation = useApiMutation(context, latest)
  const result = isQuery ? query : mutation
  return {
    ...result,
    isLoading: result.status === 'loading',
    isSuccess: result.status === 'success',
    isError: result.status === 'error',
  }
}

/** A query that sends no requests, for routes that are not fetched. */
const DISABLED_QUERY = { route: 'no GET', options: { enabled: false } }

/** The type that the compiler shows if a route needs options and none are passed. */
type Alone<R extends string> =
  Partial<ApiOptions<R>> extends ApiOptions<R> ? unknown : { 'the second argument is missing': ApiOptions<R> }

type NoOptions<R extends string> = Partial<ApiOptions<R>> extends ApiOptions<R> ? undefined : never
