import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { links } from '../links.ts'
import { RouteName } from '../components/route-name.tsx'
import { filterRouteGroups, type RouteGroup } from './route-groups.ts'

/** All routes in their groups. */
export function RouteList({ groups, selected }: { groups: readonly RouteGroup[]; selected: string | null }): ReactNode {
  const [filter, setFilter] = useState('')
  const shown = filterRouteGroups(groups, filter)
  return (
    <nav className="route-list" aria-label="Routes">
      <input
        type="search"
        aria-label="Filter routes"
        placeholder="Filter"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      {shown.length === 0 && <p className="quiet">No route has this text.</p>}
      {shown.map(({ name, description, isResource, entries }) => (
        <section key={name}>
          <h2 data-resource={isResource} title={description}>
            {name} <span className="count">{entries.length}</span>
          </h2>
          <ul>
            {entries.map(({ route, operation }) => (
              <li key={route}>
                <Link href={links.route(route)} aria-current={route === selected ? 'page' : undefined}>
                  <RouteName route={route} />
                  {operation === null && <span className="quiet small">no schema</span>}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}
