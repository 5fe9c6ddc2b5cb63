import type { ApiError } from '@sdk/protocol'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import type { Endpoint } from './endpoint.ts'
import { refuse } from './refusal.ts'
import type { Middleware } from './router.ts'
import { decodeParam } from './url.ts'

/** What stands at a path: an endpoint, and the middleware in front of it. */
export interface Place {
  readonly endpoint: Endpoint
  readonly middleware: readonly Middleware[]
}

/** A place, and what the path's parameters stand for. */
export interface Found extends Place {
  readonly params: Record<string, string>
}

/** Finds the endpoint of a call. */
export interface RouteTable {
  /** Null where nothing answers that method at the path. */
  find(method: string, path: string): Found | null
  /** The methods that are answered at a path; none: there is nothing. */
  allowed(path: string): string[]
}

type Step = Endpoint | Middleware
type Steps = readonly (readonly [Step, unknown])[]

/** A table of endpoints and the middleware in front of them. Two endpoints on one route are an error. */
export function createRouteTable(
  endpoints: readonly Endpoint[],
  middleware: readonly { path: string; middleware: Middleware }[],
): RouteTable {
  const router = new SmartRouter<Step>({ routers: [new RegExpRouter(), new TrieRouter()] })
  for (const entry of middleware) router.add('ALL', entry.path, entry.middleware)
  const known = new Set<string>()
  for (const endpoint of endpoints) {
    if (known.has(endpoint.route)) throw new TypeError(`${endpoint.route} is defined twice`)
    known.add(endpoint.route)
    router.add(endpoint.method, endpoint.path, endpoint)
  }
  const methods = new Set(endpoints.map((endpoint) => endpoint.method))
  // The router gives the same list of steps for every call of a route, so each is looked through once.
  const places = new WeakMap<Steps, Place | 'none'>()

  const find: RouteTable['find'] = (method, path) => {
    const [steps, stash] = router.match(method, path)
    let place = places.get(steps)
    if (place === undefined) places.set(steps, (place = toPlace(steps)))
    if (place === 'none') return null
    return { endpoint: place.endpoint, middleware: place.middleware, params: paramsOf(steps, place, stash) }
  }

  return {
    find: (method, path) => find(method, path) ?? (method === 'HEAD' ? find('GET', path) : null),
    allowed(path) {
      const found = [...methods].filter((method) => find(method, path) !== null)
      return found.includes('GET')
        ? ['GET', 'HEAD', ...found.filter((method) => method !== 'GET' && method !== 'HEAD')]
        : found
    },
  }
}

/** The error for a path that does not answer a method. */
export function notFound(path: string, method: string, allowed: readonly string[]): ApiError {
  if (allowed.length === 0) return refuse('NOT_FOUND', `there is nothing at ${path}`)
  return refuse('METHOD_NOT_ALLOWED', `${path} takes ${allowed.join(', ')}, not ${method}`, {
    headers: { allow: allowed.join(', ') },
  })
}

function toPlace(steps: Steps): Place | 'none' {
  const last = steps.findIndex(([step]) => typeof step !== 'function')
  const endpoint = steps[last]?.[0]
  if (endpoint === undefined || typeof endpoint === 'function') return 'none'
  return { endpoint, middleware: steps.slice(0, last).map(([step]) => step as Middleware) }
}

const NO_PARAMS: Record<string, string> = Object.freeze({})

function paramsOf(steps: Steps, place: Place, stash: string[] | undefined): Record<string, string> {
  const names = steps[place.middleware.length]?.[1] as Record<string, number | string> | undefined
  if (names === undefined) return NO_PARAMS
  let params: Record<string, string> | undefined
  for (const name in names) {
    const at = names[name]
    params ??= {}
    params[name] = decodeParam(typeof at === 'number' ? (stash?.[at] ?? '') : (at ?? ''))
  }
  return params ?? NO_PARAMS
}
