import { useState, type ReactNode } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import type { Manifest } from '../../manifest.ts'
import icon from '../icon.svg'
import { links } from '../links.ts'
import { FRAME_PAGES } from './pages.ts'
import { toSidebarItems, type SidebarItem } from './sidebar-items.ts'
import CircleX from 'lucide-react/icons/circle-x'
import { RouteName } from '../components/route-name.tsx'
import { SearchInput } from '../components/search-input.tsx'

const SIDEBAR_GROUPS = { agent: 'Agents', resource: 'Resources', route: 'Routes', socket: 'Sockets' }

const FILTER_FROM = 12

/** The sidebar with all pages, agents, routes and sockets. */
export function Sidebar({ manifest }: { manifest: Manifest | undefined }): ReactNode {
  const [location] = useLocation()
  const [filter, setFilter] = useState('')
  const items = manifest === undefined ? [] : toSidebarItems(manifest)
  const found = items.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()))
  return (
    <nav className="sidebar" aria-label="Workbench">
      <Link className="project" href={links.home}>
        <img src={icon} alt="" width={20} height={20} />
        <span className="cut">{manifest?.project ?? 'Workbench'}</span>
      </Link>
      <ul>
        {FRAME_PAGES.map(({ name, href, Icon }) => (
          <li key={name}>
            <Link className="nav" href={href} aria-current={isCurrentPage(location, href) ? 'page' : undefined}>
              <Icon size={15} aria-hidden />
              {name}
            </Link>
          </li>
        ))}
      </ul>
      {items.length > FILTER_FROM && (
        <SearchInput label="Filter agents, routes and sockets" value={filter} onChange={setFilter} />
      )}
      {Object.entries(SIDEBAR_GROUPS).map(([kind, title]) => (
        <SidebarGroup key={kind} title={title} items={found.filter((item) => item.kind === kind)} />
      ))}
      {found.length === 0 && filter !== '' && <p className="quiet small">No matches</p>}
    </nav>
  )
}

function isCurrentPage(location: string, href: string): boolean {
  return location === href || (href !== links.home && location.startsWith(`${href}/`))
}

/** All items of one kind, with their count. Renders nothing if the list is empty. */
function SidebarGroup({ title, items }: { title: string; items: readonly SidebarItem[] }): ReactNode {
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
              {kind !== 'route' && <i className="dot" />}
              {kind === 'route' ? <RouteName route={name} /> : <span className="cut">{name}</span>}
              {isBroken && <CircleX className="mark" size={14} role="img" aria-label="failed to load" />}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
