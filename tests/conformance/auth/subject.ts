import { once } from 'node:events'
import {
  type Auth,
  type AuthMail,
  type AuthOptions,
  createAuth,
  createSessionMiddleware,
  mountAuthRoutes,
} from '@sdk/auth'
import {
  type AppOptions,
  type Context,
  createAgent,
  createApp,
  createLog,
  createResource,
  createRouter,
  createSocket,
  memoryStore,
  type Router,
  serve,
} from '@sdk/server'
import { afterAll, beforeAll, expect } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { type RawResponse, send, request } from '../http/wire.ts'
import { ADA, GRACE, ORIGIN, type Person, SECRET } from './people.ts'
import type { Opened, Way } from './ways.ts'

/** The parts of a request after its first line. */
export interface CallParts {
  headers?: Record<string, string>
  /** Text is sent unchanged, anything else as JSON; both have the JSON content type. */
  body?: unknown
}

/** A session of a user. */
export interface Session {
  readonly id: string
  /** The cookie, as a browser sends it. */
  readonly cookie: string
  /** The access token. */
  readonly token: string
}

/** An open socket. */
export interface OpenSocket {
  /** Resolves with the close code. */
  readonly closed: Promise<unknown>
  /** Returns the user as the server sees it. */
  whoami(): Promise<unknown>
  close(): void
}

/** An app with users, on its own port. */
export interface Running {
  readonly port: number
  readonly auth: Auth
  readonly mails: readonly AuthMail[]
  /** All log lines so far. */
  readonly log: readonly string[]
  /** The number of calls of the handlers that only users may reach. */
  readonly reached: number
  call(line: string, parts?: CallParts): Promise<RawResponse>
  /** `POST /api/auth…` */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<RawResponse>
  /** Creates a new session. */
  signIn(person: Person): Promise<Session>
  connect(headers: Record<string, string>, protocols?: string[]): Promise<OpenSocket>
  close(): Promise<void>
}

/** Further options for the app. */
type AppChoices = Pick<AppOptions<unknown, []>, 'trustedProxies' | 'limits'>

/** The app of the tests of a `describe`; Ada and Grace have accounts. */
export interface Subject extends Running {
  readonly opened: Opened
  /** Another app on the same database, until the tests end. */
  another(options?: Partial<AuthOptions>, app?: AppChoices): Promise<Running>
}

/** Starts the app before the tests of a `describe`, and stops it after them. */
export function startAuth(way: Way, options: Partial<AuthOptions> = {}): Subject {
  const others: Running[] = []
  const subject = { opened: undefined as unknown as Opened } as { -readonly [K in keyof Subject]: Subject[K] }
  beforeAll(async () => {
    const opened = await way.open()
    // An hour, so that no socket closes because of a session check.
    const running = await run({ ...opened.source, ...options }, { limits: { socket: { signInCheck: 3_600_000 } } })
    // On a busy machine, the embedded database takes longer to create its tables than a test waits for a response.
    await running.auth.ready()
    Object.defineProperties(subject, Object.getOwnPropertyDescriptors(running))
    subject.opened = opened
    subject.another = async (more, app) => {
      const another = await run({ ...opened.source, ...more }, app)
      await another.auth.ready()
      others.push(another)
      return another
    }
    for (const person of [ADA, GRACE]) expect((await running.post('/sign-up/email', person)).status).toBe(200)
  })
  afterAll(async () => {
    await Promise.all(others.map((other) => other.close()))
    await subject.close()
    await subject.opened.close()
  })
  return subject
}

/** Starts an app with routes, an agent, a resource and a socket; without limits unless they are given. */
export async function run(options: Partial<AuthOptions>, app: AppChoices = {}): Promise<Running> {
  const mails: AuthMail[] = []
  const log: string[] = []
  const counter = { reached: 0 }
  const email = { send: (mail: AuthMail) => void mails.push(mail) }
  const auth = createAuth({ secret: SECRET, baseURL: ORIGIN, throttle: false, email, ...options })
  const server = await serve(
    createApp({
      ...app,
      agents: [createAgent('whoami', { handler: whoami })],
      router: createRoutes(auth, counter),
      rateLimit: false,
      log: createLog({ level: 'debug', write: (line) => void log.push(line) }),
    }),
    { port: 0, signals: false, survive: false },
  )
  const call: Running['call'] = (line, parts) =>
    send(server.port, toBytes(line, parts), { toHead: line.startsWith('HEAD') })
  const post: Running['post'] = (path, body, headers = {}) => call(`POST /api/auth${path}`, { body, headers })
  return {
    port: server.port,
    auth,
    mails,
    log,
    get reached() {
      return counter.reached
    },
    call,
    post,
    signIn: (person) => signIn(post, call, person),
    connect: (headers, protocols = []) => connect(server.port, headers, protocols),
    async close() {
      await server.close()
      await auth.close()
    },
  }
}

async function whoami(ctx: Context): Promise<unknown> {
  return { via: ctx.auth?.via ?? null, name: (await ctx.auth?.getUser())?.name ?? null }
}

function createRoutes(auth: Auth, counter: { reached: number }): Router {
  const reach = (ctx: Context): Promise<unknown> => {
    counter.reached++
    return whoami(ctx)
  }
  const notes = createResource('notes', {
    schema: z.strictObject({ text: z.string() }),
    store: memoryStore(),
    access: ({ user }) => user !== null,
  })
  return createRouter()
    .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
    .use('/api/*', createSessionMiddleware(auth))
    .on('GET|POST|PUT|PATCH|DELETE /api/me', reach)
    .on('GET /api/authors/me', reach)
    .on('GET /api/tree/*', reach)
    .on('GET /api/slow', async (ctx) => {
      const before = await whoami(ctx)
      await new Promise((done) => setTimeout(done, 20 * Math.random()))
      return [before, await whoami(ctx)]
    })
    .resource('v1', notes)
    .socket(
      '/ws/chat',
      createSocket({ message: async (peer) => peer.send((await peer.auth?.getUser())?.name ?? null) }),
    )
}

function toBytes(line: string, { headers, body }: CallParts = {}): Buffer {
  const content = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  return request(line, {
    headers: {
      Host: new URL(ORIGIN).host,
      ...(content !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
  })
}

async function signIn(post: Running['post'], call: Running['call'], person: Person): Promise<Session> {
  const cookie = cookieOf(await post('/sign-in/email', person))
  const { token } = bodyOf(await post('/access-token', {}, { cookie })) as { token: string }
  const { session } = bodyOf(await call('GET /api/auth/get-session', { headers: { cookie } })) as {
    session: { id: string }
  }
  return { cookie, token, id: session.id }
}

async function connect(port: number, headers: Record<string, string>, protocols: string[]): Promise<OpenSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/chat`, protocols, {
    headers: { host: 'app.test', ...headers },
  })
  await once(socket, 'open')
  // A client of our protocol that sends no hello is disconnected.
  if (socket.protocol === 'sdk.v1') socket.send('{"o":"hi","v":1,"sid":null,"rx":0,"pos":{}}')
  return {
    closed: once(socket, 'close').then(([code]: unknown[]) => code),
    async whoami() {
      const response = once(socket, 'message')
      socket.send('{}')
      const [data] = (await response) as [Buffer]
      return JSON.parse(data.toString()) as unknown
    },
    close: () => socket.close(),
  }
}

/** Returns the cookies that a response sets, as a browser sends them. */
export function cookieOf({ status, headers, body }: RawResponse): string {
  expect([status, body]).toEqual([200, expect.any(String)])
  const lines = (headers['set-cookie'] ?? '').split(/, (?=[\w.-]+=)/)
  return lines.map((line) => line.split(';', 1)[0]).join('; ')
}

/** Parses the JSON of a response. */
export function bodyOf({ body }: Pick<RawResponse, 'body'>): unknown {
  return JSON.parse(body)
}

/** Both ways to authenticate. */
export function credentialsOf({ cookie, token }: Session): Record<string, string>[] {
  return [{ cookie }, { authorization: `Bearer ${token}` }]
}
