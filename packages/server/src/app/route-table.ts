import type { Middleware } from '../define/middleware.ts'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import type { Endpoint, EndpointResult, EndpointTools } from '../endpoint/endpoint.ts'
import type { RouteMatch, RouteTarget } from '../endpoint/route-match.ts'
import type { OriginRules } from '../guard/origin.ts'
import { ACCEPT_PATCH } from '../http/body.ts'
import { httpError } from '../http/http-error.ts'
import type { ServerRequest } from '../http/server-request.ts'
import { decodeParam } from '../http/url.ts'
import { suggestRoute } from './suggest-route.ts'

/** A table that finds the endpoint for a request. */
export interface RouteTable {
  /** Returns the match for a method and path, or null if no route matches. */
  find(method: string, path: string): RouteMatch | null
  /** Returns the methods that a path allows, or an empty list if no route matches. */
  allowed(path: string): string[]
  /** Returns the route most similar to a misspelled path, or null if no route is similar. */
  suggest(method: string, path: string): string | null
}

type RouteStep = Endpoint | Middleware
type RouteSteps = readonly (readonly [RouteStep, unknown])[]

/** Creates a route table from endpoints and middleware. */
export function createRouteTable(
  endpoints: readonly Endpoint[],
  inFront: readonly { path: string; middleware: Middleware }[],
): RouteTable {
  const router = new SmartRouter<RouteStep>({ routers: [new RegExpRouter(), new TrieRouter()] })
  for (const entry of inFront) router.add('ALL', entry.path, entry.middleware)
  for (const endpoint of endpoints) router.add(endpoint.method, endpoint.path, endpoint)
  const methods = new Set(endpoints.map((endpoint) => endpoint.method))
  // The router returns the same list of steps for every request to a route, so each list is converted only once.
  const places = new WeakMap<RouteSteps, RouteTarget | 'none'>()

  function look(method: string, path: string): RouteMatch | null {
    const [steps, stash] = router.match(method, path)
    let place = places.get(steps)
    if (place === undefined) places.set(steps, (place = toRouteTarget(steps)))
    if (place === 'none') return null
    const { endpoint, middleware } = place
    if (endpoint.isStatic) return { endpoint, middleware, params: NO_PARAMS }
    // Parameters must not be empty, `.` or `..`.
    if (UNCLEAN.test(path)) return null
    const params = readParams(place, { steps, stash, path })
    return params['*'] === '' ? null : { endpoint, middleware, params }
  }

  // Most requests are for paths without parameters, so their matches are precomputed.
  const known = new Map<string, Map<string, RouteMatch>>(Array.from(methods, (method) => [method, new Map()]))
  for (const { isStatic, method, path } of endpoints) {
    const found = isStatic ? look(method, path) : null
    if (found !== null) known.get(method)?.set(path, found)
  }
  const find: RouteTable['find'] = (method, path) => known.get(method)?.get(path) ?? look(method, path)

  return {
    find: (method, path) => find(method, path) ?? (method === 'HEAD' ? find('GET', path) : null),
    allowed(path) {
      const found = [...methods].filter((method) => find(method, path) !== null)
      return found.includes('GET')
        ? ['GET', 'HEAD', ...found.filter((method) => method !== 'GET' && method !== 'HEAD')]
        : found
    },
    suggest: (method, path) => suggestRoute(endpoints, method, path),
  }
}

interface RouteDependencies {
  readonly table: RouteTable
  readonly isSocket: (path: string) => boolean
  readonly origins: OriginRules
  readonly tools: Pick<EndpointTools, 'isDevelopment'>
}

/**
 * Replies to a request that matches no endpoint: a socket path, an OPTIONS request, an unsupported method or an unknown
 * path.
 */
export function replyWithoutRoute(
  request: ServerRequest,
  path: string,
  { table, isSocket, origins, tools }: RouteDependencies,
): EndpointResult {
  if (isSocket(path)) {
    const headers = { upgrade: 'websocket', connection: 'upgrade, close' }
    return httpError('UPGRADE_REQUIRED', `${path} is a WebSocket endpoint: connect with ws:// or wss://`, { headers })
  }
  const { method } = request
  // RFC 9110 §9.3.7: `OPTIONS *` applies to the entire server. Load balancers send it.
  if (path === '*' && method === 'OPTIONS') return { status: 204, headers: { allow: ALL_METHODS }, body: null }
  const allowed = table.allowed(path)
  if (allowed.length === 0) {
    // Routes are suggested only in development, so that clients cannot discover them by guessing.
    const near = tools.isDevelopment ? table.suggest(method, path) : null
    return httpError('NOT_FOUND', `no route matches ${path}${near === null ? '' : `: did you mean ${near}?`}`)
  }
  if (method !== 'OPTIONS') {
    const names = allowed.join(', ')
    const message = `${path} does not support ${method}, only ${names}`
    return httpError('METHOD_NOT_ALLOWED', message, { headers: { allow: names } })
  }
  const patch = allowed.includes('PATCH') && { 'accept-patch': ACCEPT_PATCH }
  const headers = { allow: [...allowed, 'OPTIONS'].join(', '), ...patch }
  return origins.preflight(request) ?? { status: 204, headers, body: null }
}

function toRouteTarget(steps: RouteSteps): RouteTarget | 'none' {
  const last = steps.findIndex(([step]) => typeof step !== 'function')
  const endpoint = steps[last]?.[0]
  if (endpoint === undefined || typeof endpoint === 'function') return 'none'
  return { endpoint, middleware: steps.slice(0, last).map(([step]) => step as Middleware) }
}

const ALL_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

const NO_PARAMS: Record<string, string> = Object.freeze({})

/** Matches a path segment that is empty, `.` or `..`. */
const UNCLEAN = /\/\.{0,2}(?:\/|$)/

function readParams(
  { endpoint, middleware }: RouteTarget,
  { steps, stash, path }: { steps: RouteSteps; stash: string[] | undefined; path: string },
): Record<string, string> {
  const params: Record<string, string> = {}
  const names = steps[middleware.length]?.[1] as Record<string, number | string>
  for (const name in names) {
    const at = names[name]
    params[name] = decodeParam(typeof at === 'number' ? (stash?.[at] ?? '') : (at ?? ''))
  }
  if (endpoint.path.endsWith('/*')) {
    const slashes = endpoint.path.split('/').length - 1
    params['*'] = decodeParam(path.split('/').slice(slashes).join('/'))
  }
  return params
}
