import { isRouter, toResourceKey, type Router } from '@sdk/server'

/** An evaluated project module and its exports. */
export interface EvaluatedModule {
  readonly file: string
  readonly exports: Readonly<Record<string, unknown>>
}

/** The location of a route's types: an export, and the route's key in it. */
export interface RoutePointer {
  readonly file: string
  readonly name: string
  readonly kind: 'socket' | 'resource' | 'router'
  /** The route's name in the export. */
  readonly route: string
}

type ApiEntry = Router['entries'][number]
type ExportName = Pick<RoutePointer, 'file' | 'name'>

interface ExportedRoute extends ExportName {
  readonly path: string
  /** The number of entries that a compiler must read to determine the route's types. */
  readonly size: number
}

/**
 * Finds the smallest export that contains each route's types: a socket, a resource, or the smallest router. To show a
 * route's types, an editor then computes only the types of that export instead of the entire API.
 */
export function findRoutePointers(api: Router, modules: readonly EvaluatedModule[]): ReadonlyMap<string, RoutePointer> {
  const exportNames = new Map<unknown, ExportName>()
  const exportedRoutes = new Map<unknown, ExportedRoute[]>()
  for (const { value, ...exported } of exportsOf(modules)) {
    if (!exportNames.has(value)) exportNames.set(value, exported)
    if (isRouter(value)) addExportedRoutes(exportedRoutes, value, exported)
  }
  const pointers = api.entries.flatMap((entry) => {
    if (entry.kind === 'socket') return toSocketPointer(entry.path, exportNames.get(entry.socket))
    if (entry.kind === 'resource') return toResourcePointers(entry, exportNames.get(entry.resource))
    return entry.kind === 'route' ? toRoutePointers(entry, exportedRoutes.get(entry.definition) ?? []) : []
  })
  return new Map(pointers)
}

/** Returns all exports in sorted order, so that the choice is deterministic if a value has two names. */
function exportsOf(modules: readonly EvaluatedModule[]): (ExportName & { value: unknown })[] {
  const sorted = modules.toSorted((a, b) => (a.file < b.file ? -1 : 1))
  return sorted.flatMap(({ file, exports }) =>
    Object.keys(exports)
      .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name))
      .toSorted()
      .map((name) => ({ file, name, value: exports[name] })),
  )
}

function addExportedRoutes(
  exportedRoutes: Map<unknown, ExportedRoute[]>,
  { entries }: Router,
  exported: ExportName,
): void {
  for (const entry of entries) {
    if (entry.kind !== 'route') continue
    const place = { ...exported, path: entry.path, size: entries.length }
    const all = exportedRoutes.get(entry.definition)
    if (all === undefined) exportedRoutes.set(entry.definition, [place])
    else all.push(place)
  }
}

function toSocketPointer(path: string, exported: ExportName | undefined): [string, RoutePointer][] {
  return exported === undefined ? [] : [[path, { ...exported, kind: 'socket', route: path }]]
}

function toResourcePointers(
  { path, resource }: ApiEntry & { kind: 'resource' },
  exported: ExportName | undefined,
): [string, RoutePointer][] {
  if (exported === undefined) return []
  const key = toResourceKey(resource.definition, resource.shape.fields)
  const paths = [`${path}/:id`, ...(key === null ? [] : [path + key.path])]
  const ofOne = ['GET', 'PUT', 'PATCH', 'DELETE'].flatMap((method) => paths.map((one) => `${method} ${one}`))
  const routes = [`GET ${path}`, `POST ${path}`, ...ofOne]
  return routes.map((route) => [route, { ...exported, kind: 'resource', route }])
}

function toRoutePointers(
  { methods, path }: ApiEntry & { kind: 'route' },
  exportedRoutes: readonly ExportedRoute[],
): [string, RoutePointer][] {
  // One definition can serve several routes, even in the same router.
  const [closest] = exportedRoutes
    .filter((place) => place.path === '/' || path.endsWith(place.path))
    .toSorted((a, b) => a.size - b.size || b.path.length - a.path.length)
  if (closest === undefined) return []
  const { file, name } = closest
  return methods.map((method) => [
    `${method} ${path}`,
    { file, name, kind: 'router', route: `${method} ${closest.path}` },
  ])
}
