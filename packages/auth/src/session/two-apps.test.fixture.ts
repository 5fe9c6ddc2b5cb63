import { once } from 'node:events'
import type { Database } from '@sdk/database'
import {
  type App,
  createApp,
  createLog,
  createResource,
  createRouter,
  createSocket,
  type Engine,
  memoryStore,
  serve,
  type Server,
} from '@sdk/server'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { type Auth, type AuthOptions, createAuth, createSessionMiddleware, mountAuthRoutes } from '../index.ts'
import { SECRET } from '../auth-app.test.fixture.ts'

/** A simulated process of an application, which shares a database and an engine with the others. */
export interface Process {
  readonly app: App
  readonly auth: Auth
  readonly server: Server
  close(): Promise<void>
}

const secrets = createResource('secrets', {
  schema: z.object({ text: z.string() }),
  store: memoryStore(),
  access: ({ user }) => user?.name === 'Ada',
  live: true,
})

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
    .resource('v1', secrets)
  // An hour, so that no test passes because of a periodic check.
  const limits = { socket: { signInCheck: 3_600_000 } }
  const app = createApp({ router, engine, limits, rateLimit: false, log: createLog({ write: () => {} }) })
  app['~live'].settings.checkMs = 3_600_000
  await auth.ready()
  const server = await serve(app, { port: 0, signals: false, survive: false })
  return { app, auth, server, close: () => server.close() }
}

/** An open socket. */
export interface OpenSocket {
  readonly closed: Promise<unknown>
  readonly isOpen: () => boolean
  /** Returns the next message. */
  receive(): Promise<unknown>
  /** Sends a message and returns the response. */
  request(message: string): Promise<unknown>
  /** Requests the user's name and returns the response. */
  requestName(): Promise<unknown>
}

/** Connects with a cookie or a token. */
export async function connect(
  { server }: Pick<Process, 'server'>,
  credentials: Record<string, string>,
  path = '/ws/chat',
): Promise<OpenSocket> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, { headers: credentials })
  const closed = once(socket, 'close').then(([code]: unknown[]) => code)
  await once(socket, 'open')
  const receive = async (): Promise<unknown> => {
    const [data] = (await once(socket, 'message')) as [Buffer]
    return JSON.parse(data.toString()) as unknown
  }
  const request = (message: string): Promise<unknown> => {
    const received = receive()
    socket.send(message)
    return received
  }
  return {
    closed,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    receive,
    request,
    requestName: () => request('{}'),
  }
}
