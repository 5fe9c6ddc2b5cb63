import type { ReactNode } from 'react'
import { Route, Router, Switch, useSearchParams } from 'wouter'
import { ComparePage } from './compare/compare-page.tsx'
import { useManifest } from './data/use-manifest.ts'
import { ErrorsPage } from './errors/errors-page.tsx'
import { Frame } from './frame/frame.tsx'
import { Home } from './home/home.tsx'
import { MatrixPage } from './matrix/matrix-page.tsx'
import { Empty } from './parts/empty.tsx'
import { RoutesPage } from './routes/routes-page.tsx'
import { Runner } from './runner/runner.tsx'
import { RunPage } from './runs/run-page.tsx'
import { RunsPage } from './runs/runs-page.tsx'
import { SettingsPage } from './settings/settings-page.tsx'
import { SocketPage } from './sockets/socket-page.tsx'
import { UsersPage } from './users/users-page.tsx'

/** The whole workbench: the frame, and the page that the address names. */
export function App(): ReactNode {
  const manifest = useManifest()
  return (
    <Router base="/_workbench">
      <Frame manifest={manifest}>
        {manifest !== undefined && (
          <Switch>
            <Route path="/">
              <Home manifest={manifest} />
            </Route>
            <Route path="/agents/:name">{({ name }) => <Runner key={name} name={name} manifest={manifest} />}</Route>
            <Route path="/ws/*?">{({ '*': rest = '' }) => <SocketPage key={rest} path={`/ws/${rest}`} />}</Route>
            <Route path="/routes">
              <RoutesAtAddress />
            </Route>
            <Route path="/runs">
              <RunsPage />
            </Route>
            <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
            <Route path="/compare">
              <ComparePage />
            </Route>
            <Route path="/matrix">
              <MatrixPage />
            </Route>
            <Route path="/users">
              <UsersPage />
            </Route>
            <Route path="/errors">
              <ErrorsPage />
            </Route>
            <Route path="/settings">
              <SettingsPage />
            </Route>
            <Route>
              <Empty title="There is no such page" />
            </Route>
          </Switch>
        )}
      </Frame>
    </Router>
  )
}

function RoutesAtAddress(): ReactNode {
  const [search] = useSearchParams()
  const route = search.get('route')
  return <RoutesPage key={route} route={route} />
}
