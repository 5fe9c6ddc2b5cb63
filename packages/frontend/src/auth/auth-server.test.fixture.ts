import { afterEach, beforeEach } from 'vitest'
import { createFakeClock, type FakeClock } from '../fake-clock.test.fixture.ts'
import { readBody, startServer, type TestServer } from '../http/http-server.test.fixture.ts'
import type { VisibilityEvents } from './page-visibility.ts'
import { createSessionClient, type SessionClient, type SessionClientOptions } from './session-client.ts'

/** A server with auth routes and one cookie, which responds like Better Auth. */
export interface AuthServer {
  server: TestServer
  clock: FakeClock
  user: { id: string; name: string } | null
  /** The number of sign-ins. Each one creates a new session. */
  session: number
  /** The status that every route responds with instead of its regular response. */
  outage: number | null
  tokens: number
  /** The lifetime of the next token in ms. */
  lifetimeMs: number
  /** The route whose responses are created immediately, but sent only when `hold` resolves. */
  slow: string | null
  hold: Promise<void>
  /** Emits a visibility event to all clients of the page. */
  emitPageEvent: Parameters<VisibilityEvents>[0]
  /** Opens a tab of the page, which is closed after the test. */
  open(options?: SessionClientOptions): SessionClient
  /** Subscribes to a tab. Resolves with a function to unsubscribe when the tab has finished loading. */
  look(tab: SessionClient): Promise<() => void>
}

export const ADA = { email: 'ada@example.com', password: 'correct horse' }

/** Starts a new auth server for every test of the file. */
export function startAuthServer(): AuthServer {
  const auth = {} as AuthServer
  const listeners = new Set<AuthServer['emitPageEvent']>()
  const tabs: SessionClient[] = []
  beforeEach(async () => {
    const clock = createFakeClock()
    const server = await startServer(async (request, response) => {
      const text = (await readBody(request)).toString()
      const body = text === '' ? {} : (JSON.parse(text) as Record<string, string>)
      const [status, reply] = route(auth, request.url ?? '', body)
      if (auth.slow === request.url) await auth.hold
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
    })
    Object.assign(auth, { server, clock, user: null, session: 0, outage: null, tokens: 0, lifetimeMs: 600_000 })
    Object.assign(auth, { slow: null, hold: Promise.resolve(), emitPageEvent, open, look })
  })
  afterEach(async () => {
    for (const tab of tabs.splice(0)) tab.close()
    listeners.clear()
    await auth.server.close()
  })
  return auth

  function emitPageEvent(event: Parameters<AuthServer['emitPageEvent']>[0]): void {
    for (const listener of listeners) listener(event)
  }

  function open(options: SessionClientOptions = {}): SessionClient {
    const page: VisibilityEvents = (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
    const tab = createSessionClient({ baseUrl: auth.server.url, clock: auth.clock, page, ...options })
    tabs.push(tab)
    return tab
  }

  function look(tab: SessionClient): Promise<() => void> {
    return new Promise((resolve) => {
      const stop = tab.subscribe(() => tab.snapshot().loading || resolve(stop))
    })
  }
}

function route(auth: AuthServer, url: string, body: Record<string, string>): [status: number, reply: unknown] {
  if (auth.outage !== null) return [auth.outage, {}]
  switch (url) {
    case '/api/auth/get-session':
      return [200, auth.user && { session: { id: `s${auth.session}` }, user: auth.user }]
    case '/api/auth/sign-up/email':
    case '/api/auth/sign-in/email':
      if (body['password'] !== 'correct horse')
        return [401, { error: { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Wrong', details: [] } }]
      auth.user = { id: body['email'] ?? '', name: body['name'] ?? 'Ada' }
      auth.session++
      return [200, { user: auth.user }]
    case '/api/auth/sign-out':
      auth.user = null
      return [200, { success: true }]
    case '/api/auth/access-token': {
      if (auth.user === null) return [401, {}]
      const expiresAt = new Date(auth.clock.now() + auth.lifetimeMs).toISOString()
      return [200, { token: `token-${++auth.tokens}`, expiresAt }]
    }
    default:
      return [404, {}]
  }
}
