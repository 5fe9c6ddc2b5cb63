import type { Manifest } from '../../manifest.ts'
import { linkTo } from '../links.ts'
import { shortName } from '../components/route-name.tsx'

/** A line of the sidebar: a route, or a resource with all of its routes. */
export interface SidebarItem {
  readonly name: string
  readonly kind: Manifest['routes'][number]['kind']
  readonly href: string
  /** The pages at which it counts as shown. */
  readonly pages: readonly string[]
  /** Does its file not load? */
  readonly isBroken: boolean
}

/** The lines of the sidebar, by kind and then by path. What does not load stays, even where it never did. */
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

/** The routes of a resource are one line: `/api/v1/tasks` and `/api/v1/tasks/:id` are `tasks`. */
function resourceName(route: string): string {
  return routePath(route)
    .replace(/^\/api\/(?:v\d+\/)?/, '')
    .replace(/\/:[^/]+$/, '')
}

function kindOfRoute(route: string): SidebarItem['kind'] {
  if (route.startsWith('POST /agent/')) return 'agent'
  return route.startsWith('/') ? 'socket' : 'route'
}

/** Is a route the one of a problem, or below one that ends in `*`? */
function isProblemOf(problem: string, route: string): boolean {
  return problem === route || (problem.endsWith('*') && routePath(route).startsWith(routePath(problem).slice(0, -1)))
}

function routePath(route: string): string {
  return route.slice(route.indexOf('/'))
}

function byPath(a: { route: string }, b: { route: string }): number {
  return routePath(a.route).localeCompare(routePath(b.route)) || a.route.localeCompare(b.route)
}
