import type { RouteName } from '@sdk/protocol'
import type { CallOutput, OptionsArgument } from '@sdk/frontend'
import type { ApiOptions, ApiResult } from './api-options.ts'
import { useApiCall } from './use-api-call.ts'
import { useApiQuery } from './use-api-query.ts'

/**
 * Calls a route. GET routes are fetched when the component mounts, all others by `invoke`.
 * @example const tasks = useAPI('GET /api/v1/tasks', { query: { done: false } })
 * @example const { data, invoke, isLoading } = useAPI('POST /agent/summarize', { onChunk: show })
 */
export function useAPI<R extends RouteName, Data = CallOutput<R>>(
  route: R,
  ...options: OptionsArgument<ApiOptions<R, Data>>
): ApiResult<R, Data>
/** @example const one = useAPI({ route: 'GET /api/v1/tasks/:id', params: { id: 7 } }) */
export function useAPI<R extends RouteName, Data = CallOutput<R>>(
  options: { route: R } & ApiOptions<R, Data>,
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
