import type { ReactNode } from 'react'
import type { Manifest } from '../manifest.ts'
import { linkTo } from './selection.ts'
import { RouteName, shortName } from './route-name.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

const GROUPS = [
  { kind: 'agent', title: 'Agents' },
  { kind: 'resource', title: 'Resources' },
  { kind: 'route', title: 'Routes' },
  { kind: 'socket', title: 'Sockets' },
] as const

interface SidebarProps {
  manifest: Manifest | undefined
  selection: string | null
  isConnected: boolean
}

/** Everything that can be looked at. */
export function Sidebar({ manifest, selection, isConnected }: SidebarProps): ReactNode {
  return (
    <nav className="sidebar" aria-label="Agents, resources, routes and sockets">
      <header>
        <a className="project" href="#/" aria-current={selection === null ? 'page' : undefined}>
          {manifest?.project ?? 'Workbench'}
        </a>
        <ThemeSwitch />
      </header>
      {GROUPS.map(({ kind, title }) => (
        <Group key={kind} title={title} kind={kind} manifest={manifest} selection={selection} />
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
  selection: string | null
}

function Group({ title, kind, manifest, selection }: GroupProps): ReactNode {
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
            <a href={linkTo(route)} data-kind={kind} aria-current={route === selection ? 'page' : undefined}>
              {kind === 'route' || kind === 'resource' ? <RouteName route={route} /> : shortName(route)}
              {broken.has(route) && (
                <span className="mark" role="img" aria-label="does not load">
                  ✗
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
