import { fillPath, toQueryText } from '@sdk/protocol'
import type { RequestContext } from '../context/context.ts'
import type { RouteCall } from '../context/route-call.ts'
import { isAgent } from '../define/agent.ts'
import { orThrow, type Endpoint, type EndpointTools, type PublicEndpoint } from '../endpoint/endpoint.ts'
import { runMiddleware } from '../endpoint/middleware-chain.ts'
import { toNestedRequest } from '../endpoint/nested-request.ts'
import type { RunNested } from '../endpoint/nested-run.ts'
import { jsonOf, readReply } from '../endpoint/read-reply.ts'
import type { RouteMatch } from '../endpoint/route-match.ts'
import type { Guards } from '../guard/socket-admission.ts'
import { toApiError } from '../http/error-response.ts'
import { httpError } from '../http/http-error.ts'
import { NO_LIMITS } from '../http/request-limits.ts'
import { parseTarget } from '../http/url.ts'
import { andThen } from '../platform/and-then.ts'

/** The parts of the app that calls of routes use. */
export interface RouteCallHost extends Pick<Guards, 'limiter' | 'toRateLimitKeys'> {
  readonly endpoints: readonly PublicEndpoint[]
  readonly tools: EndpointTools
  readonly runNested: RunNested
  /** Returns the table of the app's routes. */
  table(): {
    /** Returns the match for a method and path, or null if no route matches. */
    find(method: string, path: string): RouteMatch | null
    /** Returns the most similar route, or null if no route is similar. */
    suggest(method: string, path: string): string | null
  }
}

/** Settings for a call. */
export interface RouteCallSettings {
  /** Whether the values come from a handler, so that they may have any size. */
  readonly isTrusted: boolean
  /** Whether the call counts under the rate limit of its route. @default false */
  readonly isCounted?: boolean | undefined
  /** The id of the tool call with which a model calls the route. @default none */
  readonly toolCallId?: string | undefined
}

/** The result of a call. */
interface RouteReply {
  readonly value: unknown
  /** The JSON of the value, if the route has sent it as text. */
  readonly json: string | undefined
}

/** Calls of routes by name. */
export interface RouteCalls {
  /** Returns the endpoint of a route, after it has been loaded. Throws a `TypeError` if the route cannot be called. */
  resolve(route: string): Promise<PublicEndpoint>
  /** Calls a route as the caller. Rejects with the error that a client would receive. */
  call(call: RouteCall, caller: RequestContext, settings: RouteCallSettings): Promise<RouteReply>
}

/** Creates the functions that call routes by name. */
export function createRouteCalls(host: RouteCallHost): RouteCalls {
  const byRoute = new Map(host.endpoints.map((endpoint) => [endpoint.route, endpoint]))
  const trusted = { ...host.tools, limits: { ...host.tools.limits, ...NO_LIMITS } }

  async function resolve(route: string): Promise<PublicEndpoint> {
    const endpoint = byRoute.get(route)
    if (endpoint === undefined) throw unknownRoute(route, host)
    const { definition } = endpoint
    if ('rateLimit' in definition && definition.rateLimit === 'auth')
      throw new TypeError(`${route} cannot be called by name, because its rate limit counts sign-in attempts`)
    if (isAgent(definition)) {
      if (definition.durable !== undefined)
        throw new TypeError(
          `${route} cannot be called by name, because the agent is durable: start it with ctx.start, ` +
            'or pass the agent to ctx.call in a durable agent',
        )
      await definition['~load']?.()
    }
    return endpoint
  }

  async function call(
    { route, input, params, query, headers, signal }: RouteCall,
    caller: RequestContext,
    { isTrusted, isCounted, toolCallId }: RouteCallSettings,
  ): Promise<RouteReply> {
    const endpoint = await resolve(route)
    const { method } = endpoint
    const target = toTarget(endpoint.path, { params, query }, isTrusted)
    const incoming = toNestedRequest(caller.incoming, { method, target, input, headers, signal })
    let current = caller
    try {
      const match = matchRoute(host, endpoint, target)
      const nested = { route, input: input ?? { ...params, ...query }, caller, incoming, toolCallId }
      let json: string | undefined
      const value = await host.runNested(nested, async (ctx) => {
        current = Object.assign(ctx, match)
        if (isCounted === true) await assertCounted(host, ctx, endpoint)
        const tools = isTrusted ? trusted : host.tools
        const run = (): ReturnType<typeof runMiddleware> => andThen(endpoint.run(ctx, tools), orThrow)
        const reply = await runMiddleware(ctx, match.middleware, run)
        json = jsonOf(reply)
        return readReply(reply, ctx)
      })
      return { value, json }
    } catch (thrown) {
      throw toApiError(
        thrown,
        () => current.log,
        () => incoming.signal,
      )
    }
  }

  return { resolve, call }
}

/** Matches the target. The value of a parameter must not lead to another route, such as `/tasks/export`. */
function matchRoute(
  { table }: RouteCallHost,
  endpoint: Endpoint,
  target: string,
): Pick<RouteMatch, 'params' | 'middleware'> & ReturnType<typeof parseTarget> {
  const { path, search } = parseTarget(target)
  const match = table().find(endpoint.method, path)
  if (match?.endpoint !== endpoint) throw httpError('NOT_FOUND', `no route matches ${path}`)
  return { path, search, params: match.params, middleware: match.middleware }
}

/** Counts a call under the rate limit of its route. Throws 429 if the limit is exceeded. */
async function assertCounted(
  { limiter, toRateLimitKeys }: RouteCallHost,
  { path, incoming, auth }: RequestContext,
  endpoint: Endpoint,
): Promise<void> {
  const set = limiter.policiesOf(endpoint, path)
  const counted = set === null ? null : await limiter.take(set, toRateLimitKeys(incoming, auth))
  if (counted?.error) throw counted.error
}

function unknownRoute(route: string, { table }: RouteCallHost): TypeError {
  const [method = '', path = ''] = route.split(' ')
  const near = table().suggest(method, path)
  return new TypeError(`no route is called ${JSON.stringify(route)}${near === null ? '' : `: did you mean ${near}?`}`)
}

/** Returns the request target. If a value is invalid, throws a `TypeError`, or 400 if the value is not trusted. */
function toTarget(path: string, { params, query }: Pick<RouteCall, 'params' | 'query'>, isTrusted: boolean): string {
  try {
    const search = toSearch(query)
    const filled = fillPath(path, params)
    return search === '' ? filled : `${filled}?${search}`
  } catch (cause) {
    if (isTrusted || !(cause instanceof TypeError)) throw cause
    throw httpError('INVALID_REQUEST', cause.message, { cause })
  }
}

function toSearch(query: RouteCall['query'] = {}): string {
  const entries = Object.entries(query)
  if (entries.length === 0) return ''
  const search = new URLSearchParams()
  for (const [name, value] of entries) {
    const text = toQueryText(value, name)
    if (text !== undefined) search.set(name, text)
  }
  return search.toString()
}
