import { AuthProvider, SdkProvider } from '@sdk/react'
import { cleanup, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, vi } from 'vitest'
import { Router } from 'wouter'
import { createWorkbenchClient } from '../data/client.ts'
import { startFakeEvents, type FakeEvents } from '../data/fake-events.test.fixture.ts'
import { identitySource } from '../data/identity.ts'

/** A request of a page to its server. */
export interface PageRequest {
  /** `METHOD /path`. */
  readonly route: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly headers: Headers
  readonly credentials: RequestCredentials | undefined
}

/** Handles a request; a returned value is sent as JSON. */
type RequestHandler = (request: PageRequest) => unknown

/** A page of the workbench, and its server. */
export interface TestBench extends FakeEvents {
  /** Handlers by `METHOD /path`; `*` handles all others. */
  handlers: Record<string, RequestHandler>
  readonly requests: PageRequest[]
  /** Renders a page at a path below `/_workbench`. */
  open(address: string, page: ReactNode): void
}

/** Starts a page and its server for every test of the file. */
export function startTestBench(): TestBench {
  const events = startFakeEvents()
  const bench: TestBench = { ...events, handlers: {}, requests: [], open }
  beforeEach(() => {
    bench.handlers = { 'GET /_workbench/api/manifest': () => MANIFEST }
    bench.requests.length = 0
    history.replaceState(null, '')
    vi.stubGlobal('fetch', (input: string | URL, init: RequestInit = {}) => respond(bench, new URL(input), init))
    // happy-dom has no layout, so lists would not render any rows.
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(1000)
  })
  afterEach(cleanup)
  return bench
}

const MANIFEST = {
  project: 'bench',
  root: '/bench',
  branch: null,
  revision: 1,
  isReloading: false,
  canAdd: false,
  testRunner: 'vitest',
  routes: [
    { route: 'POST /agent/echo', kind: 'agent' },
    { route: 'GET /api/items/:id', kind: 'route' },
  ],
  problems: [],
}

function open(address: string, page: ReactNode): void {
  const { happyDOM } = globalThis as unknown as { happyDOM: { setURL(url: string): void } }
  happyDOM.setURL(`http://bench.test/_workbench${address}`)
  render(
    <AuthProvider source={identitySource}>
      <SdkProvider client={createWorkbenchClient()}>
        <Router base="/_workbench">{page}</Router>
      </SdkProvider>
    </AuthProvider>,
  )
}

async function respond(bench: TestBench, url: URL, init: RequestInit): Promise<Response> {
  const { method = 'GET', body, credentials } = init
  const route = `${method} ${url.pathname}`
  const sent: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  const headers = new Headers(init.headers)
  const request: PageRequest = { route, query: url.searchParams, body: sent, headers, credentials }
  bench.requests.push(request)
  init.signal?.throwIfAborted()
  const value = await (bench.handlers[route] ?? bench.handlers['*'] ?? notFound)(request)
  return value instanceof Response ? value : Response.json(value)
}

function notFound(): Response {
  return Response.json(
    { error: { code: 'NOT_FOUND', message: 'There is no such thing', details: [] } },
    { status: 404 },
  )
}
