import { useAPI } from '@sdk/react'
import type { ReactNode } from 'react'
import type { Manifest } from '../manifest.ts'
import { Home } from './home.tsx'
import { RoutePage } from './route-page.tsx'
import { Runner } from './runner.tsx'
import { Sidebar } from './sidebar.tsx'
import { useSelection } from './selection.ts'

/** How often the table of contents is looked at again, so that new agents show up. */
const REFRESH_MS = 2000

/** The whole workbench. */
export function App(): ReactNode {
  const { data, error } = useAPI('GET /_workbench/api/manifest', { refetchInterval: REFRESH_MS })
  const selection = useSelection()
  return (
    <div className="frame">
      <Sidebar manifest={data} selection={selection} isConnected={error === null} />
      <main className="card">
        {data === undefined ? (
          <p className="quiet empty">{error === null ? 'loading …' : error.message}</p>
        ) : (
          <Page manifest={data} selection={selection} />
        )}
      </main>
    </div>
  )
}

function Page({ manifest, selection }: { manifest: Manifest; selection: string | null }): ReactNode {
  const info = manifest.routes.find(({ route }) => route === selection)
  if (info === undefined) return <Home manifest={manifest} />
  const problem = manifest.problems.find(({ route }) => route === info.route)
  // A new key for every route: what one agent was asked and answered is not another's.
  if (info.kind === 'agent') return <Runner key={info.route} info={info} problem={problem} />
  return <RoutePage info={info} />
}
