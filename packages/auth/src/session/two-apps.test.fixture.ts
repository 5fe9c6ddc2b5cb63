import { once } from 'node:events'
import type { Database } from '@sdk/database'
import {
  type App,
  createApp,
  createLog,
  createRouter,
  createSocket,
  type Engine,
  serve,
  type Server,
} from '@sdk/server'
import { WebSocket } from 'ws'
import { type Auth, type AuthOptions, createAuth, createSessionMiddleware, mountAuthRoutes } from '../index.ts'
import { SECRET } from '../auth-app.test.fixture.ts'

/** A simulated process of an application, which shares a database and an engine with the others. */
export interface Process {
  readonly app: App
  readonly auth: Auth
  readonly server: Server
  close(): Promise<void>
}

/** Starts a process. */
export async function startProcess(
  { database, engine }: { database: Database; engine: Engine },
  options: Omit<AuthOptions, 'database'> = {},
): Promise<Process> {
  const auth = createAuth({ secret: SECRET, throttle: false, ...options, database })
  const chat = createSocket({ message: async (peer) => peer.send((await peer.auth?.getUser())?.name ?? null) })
  const router = createRouter()
    .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
    .use('/api/*', createSessionMiddleware(auth))
    .on('GET /api/me', async (ctx) => ctx.auth?.getUser())
    .socket('/ws/chat', chat)
  // An hour, so that sockets are not closed by a periodic session check.
  const limits = { socket: { signInCheck: 3_600_000 } }
  const app = createApp({ router, engine, limits, rateLimit: false, log: createLog({ write: () => {} }) })
  await auth.ready()
  const server = await serve(app, { port: 0, signals: false, survive: false })
  return { app, auth, server, close: () => server.close() }
}

/** An open socket. */
export interface OpenSocket {
  readonly closed: Promise<unknown>
  readonly isOpen: () => boolean
  /** Requests the user's name and returns the response. */
  requestName(): Promise<unknown>
}

/** Connects with a cookie or a token. */
export async function connect(
  { server }: Pick<Process, 'server'>,
  credentials: Record<string, string>,
): Promise<OpenSocket> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/chat`, { headers: credentials })
  const closed = once(socket, 'close').then(([code]: unknown[]) => code)
  await once(socket, 'open')
  return {
    closed,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    async requestName() {
      const received = once(socket, 'message')
      socket.send('{}')
      const [data] = (await received) as [Buffer]
      return JSON.parse(data.toString()) as unknown
    },
  }
}
