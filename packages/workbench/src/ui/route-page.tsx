import type { ReactNode } from 'react'
import type { Manifest } from '../manifest.ts'
import { CodeBlock } from './code-block.tsx'
import { RouteName } from './route-name.tsx'
import { snippetsOf } from './snippets.ts'

/** A route or a socket: what it is for and how to call it. */
export function RoutePage({ info }: { info: Manifest['routes'][number] }): ReactNode {
  return (
    <div className="page">
      <h1 className="bar">
        <RouteName route={info.route} />
      </h1>
      {info.description !== undefined && <p className="quiet">{info.description}</p>}
      <h2>How to call it</h2>
      {snippetsOf(info.route, '{}').map(({ title, code }) => (
        <CodeBlock key={title} title={title} code={code} />
      ))}
    </div>
  )
}
