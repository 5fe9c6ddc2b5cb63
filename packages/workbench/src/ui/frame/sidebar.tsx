import type { ReactNode } from 'react'
import type { Manifest } from '../../manifest.ts'
import { Link, useLocation } from 'wouter'
import { linkTo, links } from '../links.ts'
import { RouteName, shortName } from '../parts/route-name.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

const GROUPS = [
  { kind: 'agent', title: 'Agents' },
  { kind: 'resource', title: 'Resources' },
  { kind: 'route', title: 'Routes' },
  { kind: 'socket', title: 'Sockets' },
] as const

interface SidebarProps {
  manifest: Manifest | undefined
  isConnected: boolean
}

/** Everything that can be looked at. */
export function Sidebar({ manifest, isConnected }: SidebarProps): ReactNode {
  return (
    <nav className="sidebar" aria-label="Agents, resources, routes and sockets">
      <header>
        <Link className="project" href={links.home}>
          {manifest?.project ?? 'Workbench'}
        </Link>
        <ThemeSwitch />
      </header>
      {GROUPS.map(({ kind, title }) => (
        <Group key={kind} title={title} kind={kind} manifest={manifest} />
      ))}
      <footer className="pill" data-state={isConnected ? 'good' : 'bad'}>
        {isConnected ? 'Connected' : 'Disconnected'}
      </footer>
    </nav>
  )
}

interface GroupProps {
  title: string
  kind: (typeof GROUPS)[number]['kind']
  manifest: Manifest | undefined
}

function Group({ title, kind, manifest }: GroupProps): ReactNode {
  const [location] = useLocation()
  const routes = manifest?.routes.filter((info) => info.kind === kind) ?? []
  if (routes.length === 0) return null
  const broken = new Set(manifest?.problems.map(({ route }) => route))
  return (
    <section>
      <h2>
        {title} <span className="count">{routes.length}</span>
      </h2>
      <ul>
        {routes.map(({ route }) => (
          <li key={route}>
            <Link
              href={linkTo({ route, kind })}
              data-kind={kind}
              aria-current={location === linkTo({ route, kind }) ? 'page' : undefined}
            >
              {kind === 'route' || kind === 'resource' ? <RouteName route={route} /> : shortName(route)}
              {broken.has(route) && (
                <span className="mark" role="img" aria-label="does not load">
                  ✗
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
