import type { RouteName } from '@sdk/protocol'
import type { OptionsArgument } from '@sdk/frontend'
import type { ApiOptions, ApiOutput, ApiResult } from './api-options.ts'
import { useApiCall } from './use-api-call.ts'
import { useApiQuery } from './use-api-query.ts'

/**
 * Calls a route. GET routes are fetched when the component mounts, all others by `invoke`.
 * @example const tasks = useAPI('GET /api/v1/tasks', { query: { done: false } })
 * @example const { data, invoke, isLoading } = useAPI('POST /agent/summarize', { onChunk: show })
 */
export function useAPI<R extends RouteName, Data = ApiOutput<R>>(
  route: R,
  ...options: OptionsArgument<ApiOptions<R, Data>>
): ApiResult<R, Data>
/**
 * Calls a route. GET routes are fetched when the component mounts, all others by `invoke`.
 * @example const one = useAPI({ route: 'GET /api/v1/tasks/:id', params: { id: 7 } })
 */
export function useAPI<R extends RouteName, Data = ApiOutput<R>>(
  route: (R & Alone<R>) | ({ route: R } & ApiOptions<R, Data>),
): ApiResult<R, Data>
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

/** For the compiler, which tells of the last form what is wrong: a route that stands alone, though it needs options. */
type Alone<R extends string> =
  Partial<ApiOptions<R>> extends ApiOptions<R> ? unknown : { 'is missing, the second argument': ApiOptions<R> }
