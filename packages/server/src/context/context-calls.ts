import type { ExpandName, ExpandRequired, RouteName } from '@sdk/protocol'
import type { RouteCallArguments, RouteCallOptions, RouteCallResult } from './route-call.ts'
import type { AgentRef } from './start.ts'
import type { NamedTools, Tool } from './tool.ts'

/** The functions of a context that call agents and routes. */
export interface ContextCalls {
  /**
   * Runs another agent in this process, with a separate context and validation. Streaming agents return chunks. A
   * durable agent can call other durable agents: each call is a run, whose result is stored as a step is.
   */
  call<IO extends CallableIO>(agent: AgentRef<IO>, input: IO['input']): Promise<CallResult<IO>>
  /**
   * Calls a route and adds relations and computed values to the items of its result.
   * @example await ctx.call('GET /api/v1/articles', { query: { expand: ['author'] } })
   */
  call<R extends RouteName, const I extends ExpandName<R>>(
    route: R,
    options: RouteCallOptions<NoInfer<R>, I> & ExpandRequired<I>,
  ): Promise<RouteCallResult<R, I>>
  /**
   * Calls a route by its name, as the caller and without an HTTP request. The middleware of the path, the access rules
   * and the schemas apply, but the call does not count toward rate limits. Rejects with the `ApiError` that a client
   * would receive. Resolves with the parsed JSON, or with the chunks of a route that streams.
   * @example await ctx.call('GET /api/v1/tasks', { query: { done: false } })
   * @example await ctx.call('PATCH /api/v1/tasks/:id', { done: true }, { params: { id: 7 } })
   */
  call<R extends RouteName>(route: R, ...rest: RouteCallArguments<NoInfer<R>>): Promise<RouteCallResult<R>>
  /**
   * Returns routes as tools for a model, by the operation ids of the OpenAPI document. Each call runs as the caller,
   * with the checks of `ctx.call`.
   * @example streamText({ model, messages, tools: await ctx.tools(['POST /agent/weather', 'GET /api/v1/tasks']) })
   */
  tools(routes: readonly RouteName[]): Promise<Record<string, Tool>>
  /**
   * Returns routes as tools with names of your own, and with the types of the routes.
   * @example const { deleteTask } = await ctx.tools({ deleteTask: 'DELETE /api/v1/tasks/:id' })
   */
  tools<const Named extends Readonly<Record<string, RouteName>>>(routes: Named): Promise<NamedTools<Named>>
}

/** The agent types that a nested call needs. */
export interface CallableIO {
  input: unknown
  /** The handler's result before serialization; `output` is the serialized form, in which dates are strings. */
  value: unknown
  stream: boolean
}

/** The result of a nested call: a value, the chunks of a streaming agent, or the stored JSON of a durable agent. */
export type CallResult<IO extends CallableIO> = IO extends { durable: true; output: infer Output }
  ? Output
  : IO['stream'] extends true
    ? AsyncIterable<IO['value']>
    : IO['value']
