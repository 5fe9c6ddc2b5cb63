import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { createAuth, createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { createApp, createLog, createRouter, createSocket, serve } from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import { bundle, toHtml } from '../bundle.ts'
import { LIBRARY_PAGE, PAGE, type Setup } from './page.ts'

/** A client of the socket, as the server saw it. */
interface Guest {
  /** The email address of the user; null for guests. */
  readonly who: string | null
  isOpen: boolean
}

/** A server with users, and the page on its origin and on others. */
export interface Place {
  readonly url: string
  /** The page on another port, which is the same site: browsers send its cookies. */
  readonly neighbour: string
  /** The page on another site: browsers block its cookies. */
  readonly foreigner: string
  /** The page on an untrusted origin. */
  readonly stranger: string
  /** Serves the page at this path on every origin. */
  set(path: string, setup: Setup): void
  readonly guests: Guest[]
  /** The log of the server, at the level `debug`. */
  readonly lines: string[]
  /** All credentials that the server received. */
  readonly credentials: Set<string>
  close(): Promise<void>
}

/** Starts the server. */
export async function startPlace(): Promise<Place> {
  const [code, libraryCode] = await bundlePages()
  const pages = new Map([['/library', toHtml('Library', libraryCode)]])
  const show = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(pages.get(url) ?? '')
  }
  const others = [createServer(show), createServer(show), createServer(show)] as const
  const [near, far, strange] = await Promise.all(others.map(listen))
  const [neighbour, foreigner] = [`http://127.0.0.1:${near}`, `http://localhost:${far}`]

  const auth = createAuth({
    connectionString: await emptyDatabase(),
    secret: 'a secret of the tests, long enough to be one',
    bearer: true,
    trustedOrigins: [neighbour, foreigner],
    // All clients have one address.
    throttle: false,
  })
  await auth.ready()
  const guests: Guest[] = []
  const router = createRouter()
    .use('/api/*', createSessionMiddleware(auth))
    .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
    .on('GET /api/secret', async (ctx) => `the secret of ${(await ctx.auth?.getUser())?.email}`)
    .on('GET /api/notes', async (ctx) => [`a note of ${(await ctx.auth?.getUser())?.email}`])
    .socket('/ws/whoami', whoami(guests))
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => void lines.push(line) })
  const server = await serve(createApp({ router, log, rateLimit: false }), {
    port: 0,
    signals: false,
    survive: false,
    fallback: show,
  })
  const credentials = new Set<string>()
  for (const event of ['request', 'upgrade'])
    server.http.prependListener(event, ({ headers }: IncomingMessage) => {
      for (const credential of credentialsIn(headers)) credentials.add(credential)
    })
  const set: Place['set'] = (path, setup) => {
    const data = JSON.stringify(setup).replaceAll('"', '&quot;')
    pages.set(path, toHtml('Auth', code, `<div id="root" data-setup="${data}"></div>`))
  }
  set('/', {})
  return {
    url: server.url,
    neighbour,
    foreigner,
    stranger: `http://localhost:${strange}`,
    set,
    guests,
    lines,
    credentials,
    async close() {
      await Promise.all(others.map((other) => new Promise((resolve) => other.close(resolve))))
      await server.close({ grace: 100 })
      await auth.close()
    },
  }
}

async function bundlePages(): Promise<[own: string, library: string]> {
  const mode = 'development'
  const own = await bundle({ files: { 'page.tsx': PAGE }, mode })
  const ofAuth = createRequire(createRequire(import.meta.url).resolve('@sdk/auth/package.json'))
  const alias = { 'better-auth/react': ofAuth.resolve('better-auth/react') }
  return [own, await bundle({ files: { 'page.tsx': LIBRARY_PAGE }, mode, alias })]
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** A socket that sends its clients their user. */
function whoami(guests: Guest[]): ReturnType<typeof createSocket> {
  return createSocket({
    async open(peer) {
      const who = (await peer.auth?.getUser())?.email ?? null
      peer.data = { who, isOpen: true } satisfies Guest
      guests.push(peer.data as Guest)
      peer.send(who ?? 'a guest')
    },
    close(peer) {
      ;(peer.data as Guest).isOpen = false
    },
  })
}

/** Returns the longest part of each credential, which is the same in every encoding. */
function credentialsIn(headers: IncomingMessage['headers']): string[] {
  const { authorization = '', cookie = '' } = headers
  const protocol = headers['sec-websocket-protocol'] ?? ''
  return `${authorization} ${cookie} ${protocol}`.match(/[\w-]{30,}/g) ?? []
}
