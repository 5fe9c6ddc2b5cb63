import { paramNames } from '@sdk/protocol'
import Plus from 'lucide-react/icons/plus'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { useManifest } from '../data/use-manifest.ts'
import { links } from '../links.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Empty } from '../components/empty.tsx'
import { RouteName } from '../components/route-name.tsx'
import { withFilter } from '../runs/filter-address.ts'
import { ConsoleView } from './console-view.tsx'
import './sockets.css'

/** A page that connects to a socket with one or two real clients. */
export function SocketPage({ path }: { path: string }): ReactNode {
  const sockets = useManifest()?.routes.filter(({ kind }) => kind === 'socket') ?? []
  const info = sockets.find(({ route }) => route === path)
  const [hasSecond, setSecond] = useState(false)
  const [params, setParams] = useState<Readonly<Record<string, string>>>({})
  const [query, setQuery] = useState('')
  if (info === undefined) return <NoSocket path={path} others={sockets.map(({ route }) => route)} />
  const missing = paramNames(path).filter((name) => !params[name])
  const target = { path, params, query: Object.fromEntries(new URLSearchParams(query)) }
  return (
    <div className="sockets">
      <header className="sockets-head">
        <h1>
          <RouteName route={path} />
        </h1>
        {info.description !== undefined && <p className="quiet">{info.description}</p>}
        <Link className="link small" href={withFilter(links.runs, { route: path })}>
          runs
        </Link>
        <TargetFields path={path} params={params} onParams={setParams} query={query} onQuery={setQuery} />
        {!hasSecond && (
          <button type="button" className="button small" onClick={() => setSecond(true)}>
            <Plus size={14} aria-hidden="true" /> Second client
          </button>
        )}
      </header>
      {missing.length > 0 ? (
        <Empty title={`Fill in ${missing.join(' and ')} to connect`} />
      ) : (
        <div className="consoles" data-count={hasSecond ? 2 : 1}>
          <ConsoleView label="Client 1" target={target} schema={info.receive} />
          {hasSecond && (
            <ConsoleView label="Client 2" target={target} schema={info.receive} onRemove={() => setSecond(false)} />
          )}
        </div>
      )}
    </div>
  )
}

const FIRST_SOCKET = `// src/api/index.ts
import { createRouter, createSocket } from '@sdk/server'
import { z } from 'zod'

const chat = createSocket({
  receive: z.object({ text: z.string() }),
  open: (peer) => peer.join('lobby'),
  message: (peer, message) => peer.publish('lobby', message),
})

export default createRouter().socket('/ws/chat', chat)`

function NoSocket({ path, others }: { path: string; others: readonly string[] }): ReactNode {
  const title = path === '/ws/' ? 'Choose a socket' : `Socket ${path} not found`
  return (
    <div className="page">
      <h1>Sockets</h1>
      <Empty title={others.length === 0 ? 'No sockets yet' : title}>
        {others.length === 0 && <CodeBlock title="Save this file to see the socket here" code={FIRST_SOCKET} />}
        <ul className="rows">
          {others.map((route) => (
            <li key={route}>
              <Link href={links.socket(route)}>
                <RouteName route={route} />
              </Link>
            </li>
          ))}
        </ul>
      </Empty>
    </div>
  )
}

interface TargetFieldsProps {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly onParams: (next: Readonly<Record<string, string>>) => void
  /** The URL's query string, without the `?`. */
  readonly query: string
  readonly onQuery: (next: string) => void
}

/** Fields for a socket's path parameters and query string. */
function TargetFields({ path, params, onParams, query, onQuery }: TargetFieldsProps): ReactNode {
  return (
    <div className="target-fields">
      {paramNames(path).map((name) => (
        <label key={name}>
          <span>{name}</span>
          <input value={params[name] ?? ''} onChange={(event) => onParams({ ...params, [name]: event.target.value })} />
        </label>
      ))}
      <label>
        <span>Query</span>
        <input placeholder="a=1&b=2" value={query} onChange={(event) => onQuery(event.target.value)} />
      </label>
    </div>
  )
}
