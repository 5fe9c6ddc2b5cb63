import { useState, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import type { Manifest } from '../../manifest.ts'
import icon from '../icon.svg'
import { links } from '../links.ts'
import { FRAME_PAGES } from './pages.ts'
import { SidebarGroup } from './sidebar-group.tsx'
import { toSidebarItems } from './sidebar-items.ts'

const SIDEBAR_GROUPS = [
  { kind: 'agent', title: 'Agents' },
  { kind: 'resource', title: 'Resources' },
  { kind: 'route', title: 'Routes' },
  { kind: 'socket', title: 'Sockets' },
] as const

/** With more things than this, they can be searched. */
const FILTER_FROM = 12

/** Everything that can be looked at. */
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
        <input
          type="search"
          aria-label="Filter agents, routes and sockets"
          placeholder="Filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {SIDEBAR_GROUPS.map(({ kind, title }) => (
        <SidebarGroup key={kind} title={title} items={found.filter((item) => item.kind === kind)} />
      ))}
      {found.length === 0 && filter !== '' && <p className="quiet small">Nothing has this name</p>}
    </nav>
  )
}

/** Is this page, or one below it, the one that is shown? */
function isCurrentPage(location: string, href: string): boolean {
  return location === href || (href !== links.home && location.startsWith(`${href}/`))
}
