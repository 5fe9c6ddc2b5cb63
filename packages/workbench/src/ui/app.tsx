import { lazy, Suspense, useEffect, type ReactNode } from 'react'
import { Link, Route, Router, Switch, useLocation, useSearchParams } from 'wouter'
import type { Manifest } from '../manifest.ts'
import { useManifestResult } from './data/use-manifest.ts'
import { AppFrame } from './frame/frame.tsx'
import { NoManifest } from './frame/no-manifest.tsx'
import { Home } from './home/home.tsx'
import { ProjectRoot } from './components/editor-link.tsx'
import { Empty } from './components/empty.tsx'
import { Keys } from './components/keys.tsx'
import { pageLoad } from './components/page-load.tsx'
import { PageBoundary } from './components/page-boundary.tsx'
import type { Runner as RunnerPage } from './runner/runner.tsx'

/** Loads the runner page. It is fetched shortly after the first page, since most users open it next. */
async function loadRunner(): Promise<{ default: typeof RunnerPage }> {
  return { default: (await import('./runner/runner.tsx')).Runner }
}
const PRELOAD_DELAY_MS = 500

// The home page is part of the first bundle, since most users open it first. All other pages are loaded on demand.
const ComparePage = lazy(() =>
  pageLoad(import('./compare/compare-page.tsx').then((room) => ({ default: room.ComparePage }))),
)
const DurablePage = lazy(() =>
  pageLoad(import('./durable/durable-page.tsx').then((room) => ({ default: room.DurablePage }))),
)
const DurableRunPage = lazy(() =>
  pageLoad(import('./durable/durable-run-page.tsx').then((room) => ({ default: room.DurableRunPage }))),
)
const ErrorsPage = lazy(() =>
  pageLoad(import('./errors/errors-page.tsx').then((room) => ({ default: room.ErrorsPage }))),
)
const LivePage = lazy(() => pageLoad(import('./live/live-page.tsx').then((room) => ({ default: room.LivePage }))))
const MatrixPage = lazy(() =>
  pageLoad(import('./matrix/matrix-page.tsx').then((room) => ({ default: room.MatrixPage }))),
)
const RoutesPage = lazy(() =>
  pageLoad(import('./routes/routes-page.tsx').then((room) => ({ default: room.RoutesPage }))),
)
const Runner = lazy(() => pageLoad(loadRunner()))
const RunPage = lazy(() => pageLoad(import('./runs/run-page.tsx').then((room) => ({ default: room.RunPage }))))
const RunsPage = lazy(() => pageLoad(import('./runs/runs-page.tsx').then((room) => ({ default: room.RunsPage }))))
const SettingsPage = lazy(() =>
  pageLoad(import('./settings/settings-page.tsx').then((room) => ({ default: room.SettingsPage }))),
)
const SocketPage = lazy(() =>
  pageLoad(import('./sockets/socket-page.tsx').then((room) => ({ default: room.SocketPage }))),
)
const ToolsPage = lazy(() => pageLoad(import('./tools/tools-page.tsx').then((room) => ({ default: room.ToolsPage }))))
const UsersPage = lazy(() => pageLoad(import('./users/users-page.tsx').then((room) => ({ default: room.UsersPage }))))

/** The complete workbench: the frame, and the page for the current URL. */
export function App(): ReactNode {
  const answer = useManifestResult()
  const { manifest, error } = answer
  return (
    <ProjectRoot value={manifest?.root ?? ''}>
      <Router base="/_workbench">
        <AppFrame answer={answer}>
          {manifest === undefined ? <NoManifest error={error} /> : <CurrentPage manifest={manifest} />}
        </AppFrame>
      </Router>
    </ProjectRoot>
  )
}

function CurrentPage({ manifest }: { manifest: Manifest }): ReactNode {
  const [location] = useLocation()
  useEffect(() => {
    const timer = setTimeout(() => void loadRunner().catch(() => {}), PRELOAD_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <PageBoundary key={location}>
      <Suspense fallback={<p className="page quiet">Loading</p>}>
        <Switch>
          <Route path="/">
            <Home manifest={manifest} />
          </Route>
          <Route path="/agents/:name">{({ name }) => <Runner key={name} name={name} manifest={manifest} />}</Route>
          <Route path="/ws/*?">{({ '*': rest = '' }) => <SocketPage key={rest} path={`/ws/${rest}`} />}</Route>
          <Route path="/routes" component={RoutesAtAddress} />
          <Route path="/runs" component={RunsPage} />
          <Route path="/runs/durable" component={DurablePage} />
          <Route path="/runs/durable/:id">{({ id }) => <DurableRunPage key={id} id={id} />}</Route>
          <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
          <Route path="/compare" component={ComparePage} />
          <Route path="/matrix" component={MatrixPage} />
          <Route path="/users" component={UsersPage} />
          <Route path="/errors" component={ErrorsPage} />
          <Route path="/live" component={LivePage} />
          <Route path="/tools" component={ToolsPage} />
          <Route path="/settings" component={SettingsPage} />
          <Route>
            <Empty isPage title="Page not found">
              <p className="quiet">
                Search with <Keys of="mod+k" />, or go <Link href="/">home</Link>.
              </p>
            </Empty>
          </Route>
        </Switch>
      </Suspense>
    </PageBoundary>
  )
}

function RoutesAtAddress(): ReactNode {
  return <RoutesPage route={useSearchParams()[0].get('route')} />
}
