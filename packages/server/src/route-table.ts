import { ApiError } from '@sdk/protocol'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import type { Endpoint } from './endpoint.ts'
import type { Middleware } from './router.ts'
import { decodeParam } from './url.ts'

/** What stands at a path. */
export interface Found {
  readonly endpoint: Endpoint
  readonly middleware: readonly Middleware[]
  readonly params: Record<string, string>
}

/** Finds the endpoint of a call. */
export interface RouteTable {
  /** Throws 404 where nothing stands at the path, 405 where another method would do. */
  match(method: string, path: string): Found
}

type Step = Endpoint | Middleware

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

  return {
    match(method, path) {
      const found = find(method, path) ?? (method === 'HEAD' ? find('GET', path) : null)
      if (found !== null) return found
      const allowed = [...methods].filter((other) => find(other, path) !== null)
      if (allowed.length === 0) throw new ApiError('NOT_FOUND', `there is nothing at ${path}`)
      throw new ApiError('METHOD_NOT_ALLOWED', `${path} takes ${allowed.join(', ')}, not ${method}`, {
        headers: { allow: allowed.join(', ') },
      })
    },
  }

  function find(method: string, path: string): Found | null {
    const [steps, stash] = router.match(method, path)
    const last = steps.findIndex(([step]) => typeof step !== 'function')
    const match = steps[last]
    if (match === undefined) return null
    const [endpoint, names] = match
    const before = steps.slice(0, last).map(([step]) => step as Middleware)
    return { endpoint: endpoint as Endpoint, middleware: before, params: toParams(names, stash) }
  }
}

function toParams(
  names: Record<string, number> | Record<string, string>,
  stash: string[] | undefined,
): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, at] of Object.entries(names))
    params[name] = decodeParam(typeof at === 'number' ? (stash?.[at] ?? '') : at)
  return params
}
