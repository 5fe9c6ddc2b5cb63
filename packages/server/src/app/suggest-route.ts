import type { Endpoint } from '../endpoint/endpoint.ts'

/** The maximum length of a path to compare. */
const MAX_LENGTH = 200
/** The maximum length of the differing part in a misspelled path. */
const MAX_DIFFERENCE = 2
/** Matches path prefixes that are often omitted. */
const PREFIX = /^(?:api\/)?(?:v\d+\/)?$|^agent\/$/

/**
 * Finds the route most similar to a misspelled path. Returns a route like `GET /api/v1/tasks/:id`, or null if none is
 * similar.
 */
export function suggestRoute(endpoints: readonly Endpoint[], method: string, path: string): string | null {
  if (path.length > MAX_LENGTH) return null
  const [best] = endpoints
    .filter(({ kind }) => kind !== 'system')
    .map((endpoint) => ({ endpoint, distance: distanceOf(path, fillParameters(endpoint.path, path)) }))
    .filter(({ distance }) => distance !== null)
    .toSorted((one, other) => rank(one) - rank(other))
  return best === undefined ? null : `${best.endpoint.method} ${best.endpoint.path}`

  function rank({ endpoint, distance }: { endpoint: Endpoint; distance: number | null }): number {
    return (distance ?? 0) * 2 + (endpoint.method === method ? 0 : 1)
  }
}

/** Replaces the parameters in a route pattern with the path's segments, aligned at the end. */
function fillParameters(pattern: string, path: string): string {
  const [names, segments] = [pattern.split('/'), path.split('/')]
  const shift = segments.length - names.length
  return names.map((name, at) => (/^[:*]/.test(name) ? segments[at + shift] || name : name)).join('/')
}

/**
 * Returns the length of the differing part of two paths, or null if they differ by more than a typo or an omitted
 * prefix.
 */
function distanceOf(one: string, other: string): number | null {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  const shortest = Math.min(a.length, b.length)
  let start = 0
  while (start < shortest && a[start] === b[start]) start++
  let end = 0
  while (end < shortest - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const [inOne, inOther] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  const length = Math.max(inOne.length, inOther.length)
  return length <= MAX_DIFFERENCE || (inOne === '' && PREFIX.test(inOther)) ? length : null
}
