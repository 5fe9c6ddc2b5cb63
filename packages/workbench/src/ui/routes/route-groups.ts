import type { AuthRoute } from '../../api.ts'
import type { Manifest } from '../../manifest.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import type { OpenApiDocument, Operation, Parameter } from './openapi-document.ts'

/** A route with its documentation. */
export interface RouteEntry {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly description: string | undefined
  /** The operation, or null for a route that is not in the document, such as a route that ends in `*`. */
  readonly operation: Operation | null
  readonly document: OpenApiDocument | null
}

/** Routes that belong together: all routes of a resource, or all other routes. */
export interface RouteGroup {
  readonly name: string
  readonly description: string | undefined
  readonly isResource: boolean
  readonly entries: readonly RouteEntry[]
}

const OTHERS = 'routes'
const AUTH = 'auth'

/**
 * Groups an app's routes and resources, resources first. Agents and sockets have separate pages. Auth routes, which are
 * registered as one wildcard route, are listed individually.
 */
export function toRouteGroups(
  routes: Manifest['routes'],
  documents: readonly OpenApiDocument[],
  authRoutes: readonly AuthRoute[] = [],
): readonly RouteGroup[] {
  const found = operationsOf(documents)
  const groups = new Map<string, { isResource: boolean; entries: RouteEntry[] }>()
  for (const { route, kind, description } of routes) {
    if (kind !== 'route' && kind !== 'resource') continue
    const [method = '', path = ''] = route.split(' ')
    const behind = authRoutes.filter((one) => path.endsWith('/*') && one.route.startsWith(route.slice(0, -1)))
    const { operation = null, document = null } = found.get(route) ?? {}
    const others = behind.length > 0 ? AUTH : OTHERS
    const name = kind === 'route' ? others : (operation?.tags?.[0] ?? resourceOfPath(path))
    const group = groups.get(name) ?? { isResource: kind === 'resource', entries: [] }
    group.entries.push({ route, method, path, description: operation?.description ?? description, operation, document })
    group.entries.push(...behind.map(toAuthEntry))
    groups.set(name, group)
  }
  const tags = new Map(documents.flatMap(({ tags: all = [] }) => all).map((tag) => [tag.name, tag.description]))
  return [...groups]
    .map(([name, { isResource, entries }]) => ({
      name,
      description: tags.get(name),
      isResource,
      entries: entries.toSorted(byPathAndMethod),
    }))
    .toSorted((a, b) => Number(b.isResource) - Number(a.isResource) || a.name.localeCompare(b.name))
}

/** Converts an auth route to an entry, as if it were in the document. */
function toAuthEntry({ route, description, body, query }: AuthRoute): RouteEntry {
  const [method = '', path = ''] = route.split(' ')
  const { properties = {}, required = [] } = (query ?? {}) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  const parameters = Object.entries(properties).map(([name, schema]): Parameter => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
  const content = body === null ? {} : { 'application/json': { schema: body as JsonSchema } }
  const operation: Operation = { summary: route, parameters, requestBody: { content } }
  return { route, method, path, description, operation, document: { paths: {} } }
}

/** Returns the groups with only those routes whose name or description contains the text. Empty groups are omitted. */
export function filterRouteGroups(groups: readonly RouteGroup[], text: string): readonly RouteGroup[] {
  const wanted = text.trim().toLowerCase()
  const has = ({ route, description = '' }: RouteEntry): boolean =>
    `${route} ${description}`.toLowerCase().includes(wanted)
  return groups
    .map((group) => ({ ...group, entries: group.entries.filter(has) }))
    .filter(({ entries }) => entries.length > 0)
}

/** Returns the major versions of an app's API. Each version has a separate document. */
export function majorsOf(routes: Manifest['routes']): readonly number[] {
  const majors = routes.flatMap(({ route }) => /^\w+ \/api\/v(\d+)\//.exec(route)?.[1] ?? [])
  return [...new Set([1, ...majors.map(Number)])]
}

function operationsOf(
  documents: readonly OpenApiDocument[],
): ReadonlyMap<string, { operation: Operation; document: OpenApiDocument }> {
  const found = new Map<string, { operation: Operation; document: OpenApiDocument }>()
  for (const document of documents) {
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
      // A route without a version is in the document of every version, and is the same in each.
      if (operation.summary !== undefined && !found.has(operation.summary))
        found.set(operation.summary, { operation, document })
    }
  }
  return found
}

/** Returns a resource's name based on its path, for resources that are not documented. */
function resourceOfPath(path: string): string {
  return /^\/api\/v\d+\/([^/]+)/.exec(path)?.[1] ?? OTHERS
}

const METHOD_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

function byPathAndMethod(a: RouteEntry, b: RouteEntry): number {
  return a.path.localeCompare(b.path) || METHOD_ORDER.indexOf(a.method) - METHOD_ORDER.indexOf(b.method)
}
