import type { ReactNode } from 'react'
import type { Manifest } from '../../manifest.ts'
import { ProblemView } from '../parts/problem-view.tsx'
import { RouteName } from '../parts/route-name.tsx'
import { Link } from 'wouter'
import { linkTo } from '../links.ts'

const FIRST_AGENT = `// src/agent/hello/index.ts
import { createAgent } from '@sdk/server'

export default createAgent('hello', {
  handler: (ctx, input) => ({ hello: input }),
})`

/** The first page: all that the project answers to. */
export function Home({ manifest }: { manifest: Manifest }): ReactNode {
  const agents = manifest.routes.filter(({ kind }) => kind === 'agent')
  const others = manifest.routes.filter(({ kind }) => kind !== 'agent')
  return (
    <div className="page">
      <h1>{manifest.project}</h1>
      {manifest.problems.map((problem) => (
        <ProblemView key={problem.route} problem={problem} />
      ))}
      <h2>Agents</h2>
      {agents.length === 0 ? <NoAgents /> : <Rows routes={agents} />}
      {others.length > 0 && (
        <>
          <h2>Resources, routes and sockets</h2>
          <Rows routes={others} />
        </>
      )}
    </div>
  )
}

function Rows({ routes }: { routes: Manifest['routes'] }): ReactNode {
  return (
    <ul className="rows">
      {routes.map(({ route, kind, description }) => (
        <li key={route}>
          <Link href={linkTo({ route, kind })} data-kind={kind}>
            <RouteName route={route} />
            <span className="quiet">{description ?? ''}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

function NoAgents(): ReactNode {
  return (
    <div className="empty">
      <p>No agents yet. Save this file and it appears here:</p>
      <pre>{FIRST_AGENT}</pre>
    </div>
  )
}
