import type { ReactNode } from 'react'
import type { RunSummary } from '../../run.ts'

/** A route's name, with its method separated from its path. */
export function RouteName({ route }: { route: string }): ReactNode {
  const [method, path] = route.includes(' ') ? route.split(' ') : ['WS', route]
  return (
    <span className="route-name">
      <span className="method" data-method={method}>
        {method}
      </span>{' '}
      <span className="path">{path}</span>
    </span>
  )
}

/** Returns the called route, for lists without a URL column. A wildcard route is replaced by the actual path. */
export function calledBy({ route, method, target }: Pick<RunSummary, 'route' | 'method' | 'target'>): string {
  return route === null || route.endsWith('*') ? `${method} ${target.split('?', 1)[0]}` : route
}

/** Returns a route's short name for lists. For an agent, this is just its name. */
export function shortName(route: string): string {
  return route.replace(/^POST \/agent\//, '')
}
