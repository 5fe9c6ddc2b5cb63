import type { Agent } from '../define/agent.ts'
import { describeLocation, type SourceLocation } from '../platform/source-location.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { RouterEntry } from '../define/router.ts'

/**
 * Throws if two definitions conflict, or if a definition uses a reserved path. The error includes the source locations.
 */
export function assertDefinitions(endpoints: readonly Endpoint[], entries: readonly RouterEntry[]): void {
  assertNamesUnique(endpoints, ({ route }) => route)
  assertNamesUnique(
    entries.filter((entry) => entry.kind === 'socket'),
    ({ path }) => `the socket ${path}`,
  )
  const auth = endpoints.find(({ definition }) => 'rateLimit' in definition && definition.rateLimit === 'auth')
  for (const endpoint of endpoints) assertPathAvailable(endpoint, auth)
}

/** Throws if two agents have the same name. */
export function assertAgents(agents: readonly Agent[]): void {
  assertNamesUnique(agents, ({ name }) => `the agent ${JSON.stringify(name)}`)
}

function assertNamesUnique<T extends { readonly at?: SourceLocation | undefined }>(
  all: readonly T[],
  nameOf: (one: T) => string,
): void {
  const known = new Map<string, T>()
  for (const one of all) {
    const name = nameOf(one)
    const first = known.get(name)
    if (first !== undefined) throw new TypeError(`${name} is defined twice${describeLocations(first, one)}`)
    known.set(name, one)
  }
}

function describeLocations(...places: readonly { readonly at?: SourceLocation | undefined }[]): string {
  const known = places.map(({ at }) => at?.toString() ?? '').filter((place) => place !== '')
  return known.length === 0 ? '' : `: at ${known.join(' and at ')}`
}

/** Matches paths below a row, such as `/api/v1/tasks/:id/summary`, where resources do not define routes. */
const BELOW_ONE = /^\/api\/v\d+\/[^/:*]+\/:[^/]+\/[^/]/

function assertPathAvailable(endpoint: Endpoint, auth: Endpoint | undefined): void {
  const { route, path, kind } = endpoint
  if (kind !== 'route') return
  if (/^\/api\/v\d+(?:\/|$)/.test(path) && !BELOW_ONE.test(path))
    throw new TypeError(
      `${route}${describeLocation(endpoint)}: paths under /api/v1, /api/v2 … are reserved for resources; use .resource('v1', …), a path below a single row (/api/v1/tasks/:id/summary), or a path without a version`,
    )
  const base = auth?.path.replace(/\/\*$/, '')
  if (auth === undefined || base === undefined || endpoint.definition === auth.definition) return
  if (path === base || path.startsWith(`${base}/`))
    throw new TypeError(
      `${route}${describeLocation(endpoint)}: paths under ${base} are reserved for auth${describeLocation(auth)}`,
    )
}
