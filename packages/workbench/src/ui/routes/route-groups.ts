import type { Manifest } from '../../manifest.ts'
import type { OpenApiDocument, Operation } from './openapi-document.ts'

/** A route, and what the document says of it. */
export interface RouteEntry {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly description: string | undefined
  /** Null: it is not in the document, such as a route that ends in `*`. */
  readonly operation: Operation | null
  readonly document: OpenApiDocument | null
}

/** Routes that belong together: those of a resource, or all others. */
export interface RouteGroup {
  readonly name: string
  readonly description: string | undefined
  readonly isResource: boolean
  readonly entries: readonly RouteEntry[]
}

const OTHERS = 'routes'

/** The routes and resources of an app in groups, resources first; agents and sockets have pages of their own. */
export function toRouteGroups(
  routes: Manifest['routes'],
  documents: readonly OpenApiDocument[],
): readonly RouteGroup[] {
  const found = operationsOf(documents)
  const groups = new Map<string, { isResource: boolean; entries: RouteEntry[] }>()
  for (const { route, kind, description } of routes) {
    if (kind !== 'route' && kind !== 'resource') continue
    const [method = '', path = ''] = route.split(' ')
    const { operation = null, document = null } = found.get(route) ?? {}
    const name = kind === 'route' ? OTHERS : (operation?.tags?.[0] ?? resourceOfPath(path))
    const group = groups.get(name) ?? { isResource: kind === 'resource', entries: [] }
    group.entries.push({ route, method, path, description: operation?.description ?? description, operation, document })
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

/** Only what has this text in its route or description; groups with nothing left are left out. */
export function filterRouteGroups(groups: readonly RouteGroup[], text: string): readonly RouteGroup[] {
  const wanted = text.trim().toLowerCase()
  const has = ({ route, description = '' }: RouteEntry): boolean =>
    `${route} ${description}`.toLowerCase().includes(wanted)
  return groups
    .map((group) => ({ ...group, entries: group.entries.filter(has) }))
    .filter(({ entries }) => entries.length > 0)
}

/** The versions of an app's API: each has a document of its own. */
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
      // A route without a version is in the documents of all versions, and the same in each.
      if (operation.summary !== undefined && !found.has(operation.summary))
        found.set(operation.summary, { operation, document })
    }
  }
  return found
}

/** The name of a resource by its path, where no document tells it. */
function resourceOfPath(path: string): string {
  return /^\/api\/v\d+\/([^/]+)/.exec(path)?.[1] ?? OTHERS
}

const METHOD_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

function byPathAndMethod(a: RouteEntry, b: RouteEntry): number {
  return a.path.localeCompare(b.path) || METHOD_ORDER.indexOf(a.method) - METHOD_ORDER.indexOf(b.method)
}
