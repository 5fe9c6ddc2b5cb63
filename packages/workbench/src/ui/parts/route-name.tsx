import type { ReactNode } from 'react'

/** A route's one name: its method set apart from its path. */
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

/** The short name of a route in lists: an agent by its name. */
export function shortName(route: string): string {
  return route.replace(/^POST \/agent\//, '')
}
