import type { ReactNode } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import CircleX from 'lucide-react/icons/circle-x'
import { links } from '../links.ts'
import { RouteName } from '../components/route-name.tsx'
import type { SidebarItem } from './sidebar-items.ts'

/** Things of a kind, with how many there are; nothing where there are none. */
export function SidebarGroup({ title, items }: { title: string; items: readonly SidebarItem[] }): ReactNode {
  const [location] = useLocation()
  const [search] = useSearchParams()
  const at = location === links.routes ? links.route(search.get('route') ?? '') : location
  if (items.length === 0) return null
  return (
    <section>
      <h2>
        {title} <span className="count">{items.length}</span>
      </h2>
      <ul>
        {items.map(({ name, kind, href, pages, isBroken }) => (
          <li key={name}>
            <Link
              className="nav"
              href={href}
              data-kind={kind}
              title={name}
              aria-current={pages.includes(at) ? 'page' : undefined}
            >
              {kind === 'route' ? <RouteName route={name} /> : <Dot name={name} />}
              {isBroken && <CircleX className="mark" size={14} role="img" aria-label="does not load" />}
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
