import { connect } from 'node:net'
import {
  ApiError,
  createAgent,
  createApp,
  createRouter,
  createSocket,
  type FormatError,
  type Log,
  type Middleware,
  type RateLimits,
  type RequestAuth,
  serve,
  type Server,
  type SessionMiddleware,
} from '@sdk/server'
import { afterAll, beforeAll } from 'vitest'
import { z } from 'zod'

/** Options for the tested app. */
export interface SubjectOptions {
  rateLimit?: RateLimits | false
  cors?: readonly string[]
  trustedProxies?: readonly string[]
  formatError?: FormatError
  timeouts?: { headers?: number; request?: number }
}

/** The tested app on its own port, for the tests of one `describe`. */
export interface Subject {
  readonly port: number
  readonly url: string
  /** The number of calls of the handlers of `POST /api/notes` and `/api/counted`. */
  readonly created: number
  /** All log lines so far. */
  readonly log: readonly string[]
}

const Note = z.strictObject({
  title: z.string().min(1).max(200),
  stars: z.int().min(0).optional(),
  tags: z.array(z.string().max(10)).max(200).optional(),
})

/** Starts the app before the tests of a `describe`, and stops it after them. */
export function startSubject({ timeouts, ...options }: SubjectOptions = {}): Subject {
  const log: string[] = []
  const counter = { created: 0 }
  let server: Server | undefined
  beforeAll(async () => {
    const app = createApp({ rateLimit: false, ...options, log: toLog(log), agents, router: createRoutes(counter) })
    server = await serve(app, { port: 0, ...(timeouts && { timeouts }) })
  })
  afterAll(() => server?.close())
  return {
    get port() {
      return server?.port ?? 0
    },
    get url() {
      return server?.url ?? ''
    },
    get created() {
      return counter.created
    },
    log,
  }
}

function toLog(lines: string[]): Log {
  const at = (level: string) => (message: string, fields?: object) =>
    void lines.push(JSON.stringify({ level, message, ...fields }))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

const agents = [
  createAgent('echo', { handler: (_ctx, input) => input }),
  createAgent('shout', {
    input: z.object({ text: z.string().min(1) }),
    handler: (_ctx, { text }) => ({ text: text.toUpperCase() }),
  }),
  createAgent('count', {
    async *handler(_ctx, to: number) {
      for (let n = 1; n <= to; n++) yield { n }
    },
  }),
  createAgent('stumble', {
    async *handler() {
      yield { n: 1 }
      await Promise.resolve()
      throw new ApiError('CONFLICT', 'the second one is taken')
    },
  }),
  createAgent('slow', {
    async *handler(_ctx, turns: number) {
      for (let n = 0; n < turns; n++) {
        yield { n }
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
  }),
]

/** The tests identify the user in a header: `cookie ada`, `bearer ada`. */
const session: SessionMiddleware = Object.assign(((_ctx, next) => next()) satisfies Middleware, {
  authenticate: (headers: { get(name: string): string | null }): Promise<RequestAuth | null> => {
    const [via, userId] = (headers.get('authorization') ?? '').split(' ')
    if (userId === undefined || (via !== 'cookie' && via !== 'bearer')) return Promise.resolve(null)
    return Promise.resolve({
      via,
      session: { id: `session of ${userId}`, userId, expiresAt: '2099-01-01T00:00:00.000Z' },
      getUser: () => Promise.reject(new Error('no test asks for the user')),
    })
  },
  trusts: (origin: string) => origin === 'http://localhost',
})

function createRoutes(counter: { created: number }) {
  return createRouter()
    .use('/api/*', session)
    .use('/api/guarded/*', (ctx, next) => {
      if (ctx.auth === null) throw new ApiError('UNAUTHORIZED', 'sign in first')
      if (ctx.auth.session.userId !== 'ada') throw new ApiError('FORBIDDEN', 'only Ada may do this')
      return next()
    })
    .on('POST /api/notes', {
      input: Note,
      handler: async (_ctx, note) => {
        counter.created++
        const id = counter.created
        // Long enough for a second request to arrive meanwhile.
        if (note.title.startsWith('slow')) await new Promise((resolve) => setTimeout(resolve, 300))
        if (note.title.startsWith('taken')) throw new ApiError('CONFLICT', 'title is taken')
        return { id, ...note }
      },
    })
    .on('POST /api/copies', { input: Note, handler: (_ctx, note) => ({ copied: note.title, at: ++counter.created }) })
    .on('GET /api/notes/:id', (ctx) => ({ id: ctx.params.id, query: ctx.query }))
    .on('DELETE /api/notes/:id', (ctx) => ({ deleted: ctx.params.id }))
    .on('PATCH /api/notes/:id', { input: Note.partial(), handler: (_ctx, change) => change })
    .on('POST|PUT|PATCH|DELETE /api/counted/:id', () => ({ at: ++counter.created }))
    .on('PUT /api/numbered/:id', {
      params: z.object({ id: z.coerce.number().int().positive() }),
      query: z.strictObject({ mode: z.enum(['hard', 'soft']).optional() }),
      input: Note,
      handler: (ctx, note) => ({ id: ctx.params.id, ...note }),
    })
    .on('GET /api/search', {
      query: z.strictObject({ q: z.string().min(1), exact: z.enum(['true', 'false']).default('false') }),
      handler: (ctx) => ctx.query,
    })
    .on('GET /api/tree/*', (ctx) => ({ path: ctx.params['*'] }))
    .on('POST /api/upload', async (ctx) => ({ text: await ctx.request.text() }))
    .on('GET|POST /api/guarded/notes', () => ({ secret: true }))
    .on('GET /api/broken', () => {
      throw new Error('the password is swordfish')
    })
    .on('GET /api/busy', () => {
      throw new ApiError('SERVICE_UNAVAILABLE', 'come back later', { retryAfter: 1.2 })
    })
    .on('GET /api/teapot', () => {
      throw new ApiError('SHORT_AND_STOUT', 'tip me over', { status: 418 })
    })
    .on('GET /api/payload', () => ({ error: { code: 'NOT_FOUND', message: 'a word in a payload', details: [] } }))
    .on('GET /api/nothing', () => undefined)
    .on('POST /api/auth/sign-in', { rateLimit: 'auth', handler: () => ({ ok: true }) })
    .socket('/ws/chat', createSocket({ receive: z.object({ text: z.string() }), message: () => undefined }))
}

/** Opens a keep-alive connection, for tests that send several requests. */
export function openConnection(port: number): {
  send(text: string): void
  received(): string
  isClosed(): boolean
  close(): void
} {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('error', () => undefined).on('data', (part: Buffer) => (text += part.toString('latin1')))
  return {
    send: (more) => void socket.write(more),
    received: () => text,
    isClosed: () => socket.closed,
    close: () => socket.destroy(),
  }
}
