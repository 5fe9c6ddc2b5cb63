import type { Manifest } from '../../manifest.ts'
import { linkTo } from '../links.ts'
import { shortName } from '../components/route-name.tsx'

/** An item in the sidebar: a route, or a resource with all its routes. */
export interface SidebarItem {
  readonly name: string
  readonly kind: Manifest['routes'][number]['kind']
  readonly href: string
  /** The pages on which the item is marked as current. */
  readonly pages: readonly string[]
  /** Whether the item's file failed to load. */
  readonly isBroken: boolean
}

/** Returns the sidebar items, sorted by kind and path. Routes whose file failed to load are included. */
export function toSidebarItems({ routes, problems }: Pick<Manifest, 'routes' | 'problems'>): SidebarItem[] {
  const known = new Set(routes.map(({ route }) => route))
  const missing = problems
    .filter(({ route }) => !known.has(route) && !route.includes('*'))
    .map(({ route }) => ({ route, kind: kindOfRoute(route) }))
  const lines = new Map<string, SidebarItem>()
  for (const { route, kind } of [...routes, ...missing].toSorted(byPath)) {
    const name = kind === 'resource' ? resourceName(route) : kind === 'route' ? route : shortName(route)
    const href = linkTo({ route, kind })
    const isBroken = problems.some((problem) => isProblemOf(problem.route, route))
    const line = lines.get(`${kind} ${name}`) ?? { name, kind, href, pages: [], isBroken }
    lines.set(`${kind} ${name}`, { ...line, pages: [...line.pages, href], isBroken: line.isBroken || isBroken })
  }
  return [...lines.values()]
}

/** Returns the name of the resource that a route belongs to: `tasks` for `/api/v1/tasks` and `/api/v1/tasks/:id`. */
function resourceName(route: string): string {
  return routePath(route)
    .replace(/^\/api\/(?:v\d+\/)?/, '')
    .replace(/\/:[^/]+$/, '')
}

function kindOfRoute(route: string): SidebarItem['kind'] {
  if (route.startsWith('POST /agent/')) return 'agent'
  return route.startsWith('/') ? 'socket' : 'route'
}

/** Returns whether a problem affects a route, either directly or through a wildcard path. */
function isProblemOf(problem: string, route: string): boolean {
  return problem === route || (problem.endsWith('*') && routePath(route).startsWith(routePath(problem).slice(0, -1)))
}

function routePath(route: string): string {
  return route.slice(route.indexOf('/'))
}

function byPath(a: { route: string }, b: { route: string }): number {
  return routePath(a.route).localeCompare(routePath(b.route)) || a.route.localeCompare(b.route)
}
