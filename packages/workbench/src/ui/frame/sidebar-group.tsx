import type { ReactNode } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import CircleX from 'lucide-react/icons/circle-x'
import type { Manifest } from '../../manifest.ts'
import { linkTo, links } from '../links.ts'
import { RouteName, shortName } from '../parts/route-name.tsx'

interface SidebarGroupProps {
  readonly title: string
  readonly routes: Manifest['routes']
  /** Those that do not load. */
  readonly broken: ReadonlySet<string>
}

/** Things of a kind, with how many there are; nothing where there are none. */
export function SidebarGroup({ title, routes, broken }: SidebarGroupProps): ReactNode {
  const [location] = useLocation()
  const [search] = useSearchParams()
  const at = location === links.routes ? links.route(search.get('route') ?? '') : location
  if (routes.length === 0) return null
  return (
    <section>
      <h2>
        {title} <span className="count">{routes.length}</span>
      </h2>
      <ul>
        {routes.map(({ route, kind }) => (
          <li key={route}>
            <Link
              className="nav"
              href={linkTo({ route, kind })}
              data-kind={kind}
              title={route}
              aria-current={linkTo({ route, kind }) === at ? 'page' : undefined}
            >
              {kind === 'route' || kind === 'resource' ? <RouteName route={route} /> : <Dot name={shortName(route)} />}
              {broken.has(route) && <CircleX className="mark" size={14} role="img" aria-label="does not load" />}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Dot({ name }: { name: string }): ReactNode {
  return (
    <>
      <i className="dot" />
      <span className="cut">{name}</span>
    </>
  )
}
