import {
  createApp,
  createRouter,
  type Log,
  type Middleware,
  type RateLimits,
  type RequestAuth,
  type Router,
  serve,
  type Server,
  type SessionMiddleware,
} from '@sdk/server'
import { afterAll, beforeAll, expect } from 'vitest'
import { type RawResponse, send, request } from '../http/wire.ts'
import { createArchives, createDocuments, createDrafts, createLetters, createTasks, type Changes } from './showcase.ts'
import type { StoreCase, Stores } from './store-case.ts'

/** The parts of a request after its first line. */
export interface CallParts {
  /** The user. @default none */
  as?: string
  headers?: Record<string, string>
  /** Text and bytes are sent unchanged, anything else as JSON; all have the JSON content type. */
  body?: unknown
}

/** A row in a response. */
export interface Row {
  readonly id: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly [field: string]: unknown
}

/** One page of a list, as received. */
export interface PageBody {
  readonly data: readonly Row[]
  readonly pagination: {
    readonly limit: number
    readonly hasMore: boolean
    readonly nextCursor: string | null
    readonly prevCursor: string | null
    readonly total?: number
  }
}

/** A created row. */
export interface Made {
  readonly item: Row
  readonly etag: string
  /** The path of the row. */
  readonly path: string
}

/** A running app with the resources of the showcase, on one kind of store. */
export interface Service {
  readonly port: number
  readonly changes: Changes
  /** All log lines so far. */
  readonly log: readonly string[]
  call(line: string, parts?: CallParts): Promise<RawResponse>
  /** Creates a row, and expects success. */
  make(values: object, where?: { path?: string; as?: string }): Promise<Made>
  /** Stops the app, and starts another one on the same stores. */
  restart(): Promise<void>
}

/** Options for the tested app. */
export interface ServiceOptions {
  rateLimit?: RateLimits | false
  /** The routes. @default the routes of the showcase, in v1 */
  routes?: (router: Router, stores: Stores, changes: Changes) => Promise<Router>
}

/** The tasks of the showcase. */
export const TASKS = '/api/v1/tasks'

/** Starts the app before the tests of a `describe`, and stops it after them. */
export function startService(kind: StoreCase, { rateLimit = false, routes = showcase }: ServiceOptions = {}): Service {
  const log: string[] = []
  const changes: Changes = []
  let stores: Stores | undefined
  let server: Server | undefined
  async function start(): Promise<void> {
    stores ??= await kind.open()
    const router = await routes(createRouter().use('/api/*', session), stores, changes)
    // On a busy machine, the embedded database takes longer to create its tables than a test waits for a response.
    for (const entry of router.entries) if (entry.kind === 'resource') await entry.resource.store.ready?.()
    server = await serve(createApp({ rateLimit, log: toLog(log), router }), { port: 0, signals: false })
  }
  beforeAll(start)
  afterAll(async () => {
    await server?.close()
    await stores?.close()
  })
  const call = (line: string, parts: CallParts = {}): Promise<RawResponse> =>
    send(server?.port ?? 0, toBytes(line, parts), { toHead: line.startsWith('HEAD ') })
  return {
    get port() {
      return server?.port ?? 0
    },
    changes,
    log,
    call,
    make: (values, { path = TASKS, as } = {}) => make(call, path, { body: values, ...(as !== undefined && { as }) }),
    async restart() {
      await server?.close()
      await start()
    },
  }
}

async function showcase(router: Router, stores: Stores, changes: Changes): Promise<Router> {
  return router
    .resource('v1', createTasks('tasks', await stores.source('tasks', 'tasks'), changes))
    .resource('v1', createTasks('chores', await stores.source('tasks', 'chores')))
    .resource('v1', createDrafts(await stores.source('tasks', 'drafts')))
    .resource('v1', createArchives(await stores.source('tasks', 'archives')))
    .resource('v1', createDocuments(await stores.source('documents', 'documents')))
    .resource('v1', createLetters(await stores.source('documents', 'letters')))
}

async function make(call: Service['call'], path: string, parts: CallParts): Promise<Made> {
  const response = await call(`POST ${path}`, parts)
  expect([response.status, response.body]).toEqual([201, expect.any(String)])
  const item = rowOf(response)
  return { item, etag: response.headers['etag'] ?? '', path: `${path}/${item.id}` }
}

/** Parses the JSON of a response. */
export function bodyOf({ body }: Pick<RawResponse, 'body'>): Record<string, unknown> {
  return JSON.parse(body) as Record<string, unknown>
}

/** Returns the row in a response. */
export function rowOf({ body }: Pick<RawResponse, 'body'>): Row {
  return JSON.parse(body) as Row
}

/** Returns the page in a response. */
export function pageOf({ body }: Pick<RawResponse, 'body'>): PageBody {
  return JSON.parse(body) as PageBody
}

function toBytes(line: string, { as, headers, body }: CallParts): Buffer {
  const content = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  return request(line, {
    headers: {
      ...(content !== undefined && { 'Content-Type': 'application/json' }),
      ...(as !== undefined && { Authorization: `Bearer ${as}` }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
  })
}

function toLog(lines: string[]): Log {
  const at = (level: string) => (message: string, fields?: object) =>
    void lines.push(JSON.stringify({ level, message, ...fields }))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Tokens are user ids. */
const session: SessionMiddleware = Object.assign(((_ctx, next) => next()) satisfies Middleware, {
  authenticate(headers: { get(name: string): string | null }): Promise<RequestAuth | null> {
    const [scheme, id] = (headers.get('authorization') ?? '').split(' ')
    return Promise.resolve(scheme !== 'Bearer' || id === undefined ? null : toAuth(id))
  },
  trusts: () => false,
})

function toAuth(id: string): RequestAuth {
  const long = '2000-01-01T00:00:00.000Z'
  const profile = { email: `${id}@example.test`, emailVerified: true, image: null, createdAt: long, updatedAt: long }
  return {
    via: 'bearer',
    session: { id: `session of ${id}`, userId: id, expiresAt: '2099-01-01T00:00:00.000Z' },
    getUser: () => Promise.resolve({ id, name: id, ...profile }),
  }
}
