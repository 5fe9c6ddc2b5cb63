import { useAPI } from '@sdk/react'
import { useMemo, type ReactNode, useState } from 'react'
import type { AuthRoute } from '../../api.ts'
import { useManifest } from '../data/use-manifest.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Empty } from '../components/empty.tsx'
import { ProblemView } from '../components/problem-view.tsx'
import { RouteRunner } from './route-runner.tsx'
import { toRouteGroups, filterRouteGroups, type RouteGroup } from './route-groups.ts'
import { useDocuments } from './use-documents.ts'
import { Link } from 'wouter'
import { links } from '../links.ts'
import { RouteName } from '../components/route-name.tsx'
import { SearchInput } from '../components/search-input.tsx'
import './routes.css'

const NONE: readonly AuthRoute[] = []

/** The API's routes and resources, with a runner for calling them. */
export function RoutesPage({ route }: { route: string | null }): ReactNode {
  const manifest = useManifest()
  const documents = useDocuments(manifest)
  const authRoutes = useAPI('GET /_workbench/api/auth-routes', { staleTime: 60_000 }).data?.routes ?? NONE
  const groups = useMemo(
    () => toRouteGroups(manifest?.routes ?? [], documents ?? [], authRoutes),
    [manifest, documents, authRoutes],
  )
  const entry = groups.flatMap(({ entries }) => entries).find((one) => one.route === route)
  if (manifest === undefined || documents === undefined) return null
  const problems = manifest.problems.filter((problem) => problem.route.startsWith('/api'))
  if (groups.length === 0) {
    return (
      <div className="page">
        <h1>Routes</h1>
        {problems.map((problem) => (
          <ProblemView key={problem.file} problem={problem} />
        ))}
        <NoRoutes />
      </div>
    )
  }
  return (
    <div className="routes" data-open={entry !== undefined}>
      <div className="routes-list">
        {entry === undefined ? <h1>Routes</h1> : <p className="routes-title">Routes</p>}
        {problems.map((problem) => (
          <ProblemView key={problem.file} problem={problem} />
        ))}
        {entry === undefined && route !== null && <p className="notice small">Route {route} not found</p>}
        <RouteList groups={groups} selected={route} />
      </div>
      {entry !== undefined && <RouteRunner key={route} entry={entry} />}
      {entry === undefined && (
        <Empty title="Choose a route to call it">
          <p className="quiet">Its parameters and body appear here as fields, next to the response.</p>
        </Empty>
      )}
    </div>
  )
}

function NoRoutes(): ReactNode {
  return (
    <Empty title="No routes yet">
      <CodeBlock title="A route" code="npx sdk add route reports" />
      <CodeBlock title="A resource: list, create, read, replace, update and delete" code="npx sdk add resource tasks" />
    </Empty>
  )
}

function RouteList({ groups, selected }: { groups: readonly RouteGroup[]; selected: string | null }): ReactNode {
  const [filter, setFilter] = useState('')
  const shown = filterRouteGroups(groups, filter)
  return (
    <nav className="route-list" aria-label="Routes">
      <SearchInput label="Filter routes" value={filter} onChange={setFilter} />
      {shown.length === 0 && <p className="quiet">No matching routes.</p>}
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
