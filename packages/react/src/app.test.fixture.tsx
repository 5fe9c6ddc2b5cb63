import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuthSnapshot, AuthSource, AuthUser } from '@sdk/frontend'
import { createStore } from '@sdk/frontend'
import { act, cleanup } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach } from 'vitest'
import { AuthProvider } from './auth-provider.tsx'
import { SdkProvider } from './sdk-provider.tsx'

/** A function that handles one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** A real server, and a page from its origin. */
export interface TestApp {
  /** Handlers by `METHOD /path`; `*` handles all others. */
  routes: Record<string, Handler>
  /** `METHOD /path?query` of every request, in order. */
  requests: string[]
  url: string
}

/** Starts a new server for every test of the file. The page has its origin, so no base URL is needed. */
export function startTestApp(): TestApp {
  const app: TestApp = { routes: {}, requests: [], url: '' }
  let close = async (): Promise<void> => {}
  beforeEach(async () => {
    app.routes = {}
    app.requests = []
    const server = createServer((request, response) => {
      const { method = '', url = '', headers } = request
      // A browser in another test may still send requests to the server that previously used this port.
      if (headers['user-agent']?.includes('Chrome')) {
        response.destroy()
        return
      }
      app.requests.push(`${method} ${url}`)
      const handler = app.routes[`${method} ${url.split('?')[0]}`] ?? app.routes['*'] ?? respond(404, {})
      handler(request, response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    app.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    setPage(app.url)
    close = async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  })
  afterEach(async () => {
    cleanup()
    await close()
  })
  return app
}

function setPage(url: string): void {
  const { happyDOM } = globalThis as unknown as { happyDOM: { setURL(url: string): void } }
  happyDOM.setURL(url)
}

/** Returns a handler that responds with JSON. */
export function respond(status: number, body: unknown): Handler {
  return (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Responds with the JSON of the request. */
export const echo: Handler = async (request, response) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.concat(parts))
}

/** A stream that the test writes; `gone` opens when the client disconnects. */
export interface TestStream {
  handler: Handler
  started: Promise<ServerResponse>
  gone: Promise<void>
}

export function createStream(type = 'application/x-ndjson'): TestStream {
  const started = createGate<ServerResponse>()
  const gone = createGate()
  const handler: Handler = (_request, response) => {
    void once(response, 'close').then(() => gone.open())
    response.writeHead(200, { 'content-type': type }).flushHeaders()
    started.open(response)
  }
  return { handler, started: started.opened, gone: gone.opened }
}

/** A promise that the test resolves. */
export interface Gate<T = void> {
  open(value: T): void
  readonly opened: Promise<T>
}

export function createGate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => {}
  const opened = new Promise<T>((resolve) => (open = resolve))
  return { open, opened }
}

/** Calls a function and returns its promise without waiting for it. */
export function begin(call: () => Promise<unknown>): Promise<unknown> {
  let promise: Promise<unknown> = Promise.resolve()
  act(() => {
    promise = call()
  })
  return promise
}

export function Sdk({ children }: { children: ReactNode }): ReactNode {
  return <SdkProvider>{children}</SdkProvider>
}

/** An auth source without a server, and providers that use it. */
export interface FakeAuth extends AuthSource {
  /** Signs a user in. Null signs out, and undefined means loading, which is the initial state. */
  become(id: string | null | undefined): void
  Providers(props: { children: ReactNode }): ReactNode
}

export function createFakeAuth(): FakeAuth {
  const store = createStore<AuthSnapshot>({ loading: true, user: null, token: null, error: null })
  const source: FakeAuth = {
    snapshot: store.get,
    subscribe: store.subscribe,
    async token() {
      while (store.get().loading) await new Promise<void>((resolve) => void store.subscribe(resolve))
      return store.get().token
    },
    become: (id) =>
      store.patch({
        loading: id === undefined,
        user: id ? ({ id, name: id } as AuthUser) : null,
        token: id ? `token-of-${id}` : null,
      }),
    Providers: ({ children }) => (
      <AuthProvider source={source}>
        <SdkProvider>{children}</SdkProvider>
      </AuthProvider>
    ),
    signIn: async ({ email }) => source.become(email),
    signUp: async ({ email }) => source.become(email),
    signOut: async () => source.become(null),
    close: () => {},
  }
  return source
}
