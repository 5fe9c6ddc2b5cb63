import assert from 'node:assert/strict'
import { mcp } from '@sdk/mcp'
import { connect } from '@sdk/mcp/testing'
import {
  ApiError,
  createAgent,
  createApp,
  createLog,
  createResource,
  createRouter,
  memoryStore,
  type Context,
} from '@sdk/server'
import { testApp, type TestApp } from '@sdk/server/testing'
import { z } from 'zod'

/** The text of all thrown errors in the app. No result may contain it. */
export const SECRET = 'password of the database'

/** The callers of the matrix. Ada owns the row 1, Bob owns the row 2. */
export const CALLERS = ['anonymous', 'Ada', 'Bob', 'Admin'] as const
export type Caller = (typeof CALLERS)[number]

/** A call, with the result for each caller: `ok`, or the code of the error. */
export interface MatrixCase {
  readonly name: string
  readonly route: string
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly input?: Readonly<Record<string, unknown>>
  readonly expected: Readonly<Record<Caller, string>>
}

/** The outcome of a call: its result, or the error envelope. */
export type MatrixOutcome = { readonly value: unknown } | { readonly error: { code: string } }

/** A way to call a route as a caller. */
export type MatrixColumn = (app: TestApp, call: MatrixCase) => Promise<MatrixOutcome>

const all = (result: string): MatrixCase['expected'] => ({ anonymous: result, Ada: result, Bob: result, Admin: result })
const onlyAda = (other: string): MatrixCase['expected'] => ({ ...all(other), anonymous: 'UNAUTHORIZED', Ada: 'ok' })
const signedIn = (result: string): MatrixCase['expected'] => ({ ...all(result), anonymous: 'UNAUTHORIZED' })
const onlyAdmin = { ...all('FORBIDDEN'), anonymous: 'UNAUTHORIZED', Admin: 'ok' }

const TASKS = '/api/v1/tasks'
const first = { params: { id: 1 } }
const input = { title: 'Ice' }

/** All calls of the matrix. */
export const MATRIX: readonly MatrixCase[] = [
  { name: 'list', route: `GET ${TASKS}`, query: { limit: 5, done: false }, expected: signedIn('ok') },
  { name: 'get', route: `GET ${TASKS}/:id`, ...first, expected: onlyAda('NOT_FOUND') },
  { name: 'create', route: `POST ${TASKS}`, input, expected: signedIn('ok') },
  { name: 'replace', route: `PUT ${TASKS}/:id`, ...first, input, expected: onlyAda('NOT_FOUND') },
  { name: 'update', route: `PATCH ${TASKS}/:id`, ...first, input: { done: true }, expected: onlyAda('NOT_FOUND') },
  { name: 'delete', route: `DELETE ${TASKS}/:id`, ...first, expected: onlyAda('NOT_FOUND') },
  { name: 'an agent', route: 'POST /agent/echo', input: { text: 'hi' }, expected: all('ok') },
  { name: 'an agent that streams', route: 'POST /agent/count', input: { to: 2 }, expected: all('ok') },
  { name: 'a guarded route', route: 'GET /api/admin/stats', expected: onlyAdmin },
  { name: 'a guarded route with input', route: 'POST /api/admin/mail', input: { to: 'ada' }, expected: onlyAdmin },
  { name: 'a route behind a Response', route: 'GET /api/closed/:name', params: { name: 'a' }, expected: all('GONE') },
  { name: 'a guard of one row', route: 'GET /api/files/:name', params: { name: 'keys' }, expected: onlyAdmin },
  { name: 'another row', route: 'GET /api/files/:name', params: { name: 'tea / 50%' }, expected: all('ok') },
  {
    name: 'an unknown field',
    route: 'POST /agent/echo',
    input: { text: 'hi', more: 1 },
    expected: all('INVALID_REQUEST'),
  },
  {
    name: 'an unknown field of a row',
    route: `POST ${TASKS}`,
    input: { ...input, more: 1 },
    expected: signedIn('INVALID_REQUEST'),
  },
  { name: 'an unknown parameter', route: `GET ${TASKS}`, query: { more: 1 }, expected: signedIn('INVALID_REQUEST') },
  {
    name: 'an unknown parameter of a route',
    route: 'GET /api/admin/stats',
    query: { more: 1 },
    expected: { ...onlyAdmin, Admin: 'INVALID_REQUEST' },
  },
  { name: 'an invalid value', route: 'POST /agent/echo', input: { text: 7 }, expected: all('INVALID_REQUEST') },
  { name: 'an invalid id', route: `GET ${TASKS}/:id`, params: { id: 'x' }, expected: signedIn('INVALID_REQUEST') },
  { name: 'a conflict', route: 'POST /agent/conflict', input: {}, expected: all('CONFLICT') },
  { name: 'an unexpected error', route: 'POST /agent/fail', input: {}, expected: all('INTERNAL_SERVER_ERROR') },
  { name: 'an unexpected error of a middleware', route: 'GET /api/broken', expected: all('INTERNAL_SERVER_ERROR') },
  { name: 'an invalid result', route: 'POST /agent/wrong', input: {}, expected: all('INTERNAL_SERVER_ERROR') },
  { name: 'an error after a chunk', route: 'POST /agent/late', input: {}, expected: all('INTERNAL_SERVER_ERROR') },
]

/** A route that throws an `ApiError` with a 5xx status. Only requests and `ctx.call` return its code and message. */
export const OUTAGE: MatrixCase = {
  name: 'an outage',
  route: 'POST /agent/outage',
  input: {},
  expected: all('SERVICE_UNAVAILABLE'),
}

/** The columns of the matrix. A client that requests progress takes another path through `mcp`. */
export const COLUMNS: Readonly<Record<string, MatrixColumn>> = {
  HTTP: (app, call) => settle(() => app.call(call.route, ...argumentsOf(call))),
  'ctx.call': (app, call) => probe(app, 'call', call),
  'ctx.tools': (app, call) => probe(app, 'tools', call),
  MCP: (app, call) => callTool(app, call),
  'MCP with progress': (app, call) => callTool(app, call, () => {}),
}

/** Opens an app with two rows, and acts as a caller. */
export async function openAs(caller: Caller, logged: string[] = []): Promise<TestApp> {
  const log = createLog({ level: 'error', write: (line: string) => void logged.push(line) })
  const agents = [echo, count, conflict, fail, outage, wrong, late, probeAgent]
  const app = await testApp(createApp({ agents, router: createMatrixRouter(), log, rateLimit: false }))
  for (const name of ['Ada', 'Bob']) await app.as({ name }).call(`POST ${TASKS}`, { title: `Tea of ${name}` })
  return caller === 'anonymous' ? app : app.as({ name: caller })
}

/** Returns an outcome without the values that differ between two apps. */
export function withoutTimes(outcome: MatrixOutcome): unknown {
  return JSON.parse(JSON.stringify(outcome, (key, value: unknown) => (/^(?:created|updated)At$/.test(key) ? 0 : value)))
}

/** Returns the arguments after the route. The routes of the matrix have no types. */
function argumentsOf({ route, params, query, input: body }: MatrixCase): [] {
  const rest: unknown[] = route.startsWith('P') ? [body, { params, query }] : [{ params, query }]
  return rest as []
}

async function settle(call: () => Promise<unknown>): Promise<MatrixOutcome> {
  try {
    return { value: await call() }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, message, details } = error
    return { error: { code, message, details } as { code: string } }
  }
}

async function probe(app: TestApp, way: 'call' | 'tools', call: MatrixCase): Promise<MatrixOutcome> {
  const { route, params, query, input: body } = call
  return (await app.call('POST /agent/probe', { way, route, params, query, input: body })) as MatrixOutcome
}

async function callTool(app: TestApp, call: MatrixCase, onprogress?: () => void): Promise<MatrixOutcome> {
  const client = await connect(app)
  const { route, params, query, input: body } = call
  const {
    isError: hasFailed = false,
    content,
    structuredContent,
  } = await client.callTool(
    { name: toToolName(route), arguments: { ...params, ...query, ...body } },
    onprogress && { onprogress },
  )
  await client.close()
  const [block] = content
  const answer: unknown = JSON.parse(block?.type === 'text' ? block.text : 'null')
  assert.deepEqual(structuredContent ?? null, hasFailed ? null : answer)
  if (hasFailed) return answer as MatrixOutcome
  return { value: isChunks(answer) ? answer.chunks : (answer ?? undefined) }
}

function toToolName(route: string): string {
  return route.replaceAll(/\W+/g, '_')
}

function isChunks(value: unknown): value is { chunks: unknown[] } {
  return typeof value === 'object' && value !== null && 'chunks' in value
}

const probeAgent = createAgent('probe', {
  async handler(ctx, call): Promise<MatrixOutcome> {
    const { way, route, params, query, input: body } = call as MatrixCase & { way: 'call' | 'tools' }
    if (way === 'call') return settle(async () => readAll(await ctx.call(route, ...argumentsOf(call as MatrixCase))))
    const { it } = await ctx.tools({ it: route })
    const result = await it.execute({ ...params, ...query, ...body } as never)
    return isError(result) ? result : { value: result }
  },
})

async function readAll(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result
  const chunks: unknown[] = []
  for await (const chunk of result as AsyncIterable<unknown>) chunks.push(chunk)
  return chunks
}

function isError(result: unknown): result is { error: { code: string } } {
  return typeof result === 'object' && result !== null && 'error' in result
}

const echo = createAgent('echo', {
  input: z.object({ text: z.string().max(20) }),
  handler: (ctx, { text }) => ({ text, user: ctx.auth?.session.userId ?? null }),
})
const count = createAgent('count', {
  input: z.object({ to: z.number() }),
  async *handler(_ctx, { to }) {
    for (let number = 1; number <= to; number++) yield { number }
  },
})
const conflict = createAgent('conflict', {
  handler() {
    throw new ApiError('CONFLICT', 'the seat is taken', { details: [{ code: 'SEAT', message: 'is taken' }] })
  },
})
const fail = createAgent('fail', {
  handler() {
    throw new Error(SECRET)
  },
})
const outage = createAgent('outage', {
  handler() {
    throw new ApiError('SERVICE_UNAVAILABLE', 'the printer is offline')
  },
})
const wrong = createAgent('wrong', { output: z.object({ n: z.number() }), handler: () => ({ n: SECRET as never }) })
const late = createAgent('late', {
  async *handler() {
    yield 1
    throw new Error(SECRET)
  },
})

function createMatrixRouter() {
  const tasks = createResource('tasks', {
    schema: z.object({ title: z.string().max(20), done: z.boolean().default(false) }),
    store: memoryStore(),
    access: ({ user }) => (user === null ? false : { ownerId: user.id }),
    assign: ({ user }) => ({ ownerId: user.id }),
    filter: ['done'],
  })
  return createRouter()
    .use('/api/admin/*', async (ctx, next) => {
      await assertAdmin(ctx)
      return next()
    })
    .use('/api/files/keys', async (ctx, next) => {
      await assertAdmin(ctx)
      return next()
    })
    .use('/api/closed/*', async () =>
      Response.json({ error: { code: 'GONE', message: 'closed', details: [] } }, { status: 410 }),
    )
    .use('/api/broken', async () => Promise.reject(new Error(SECRET)))
    .resource('v1', tasks)
    .on('GET /api/admin/stats', { query: z.object({ day: z.string().optional() }), handler: () => ({ users: 4 }) })
    .on('POST /api/admin/mail', { input: z.object({ to: z.string() }), handler: (_ctx, { to }) => ({ to }) })
    .on('GET /api/closed/:name', () => ({ secret: SECRET }))
    .on('GET /api/files/:name', (ctx) => ({ name: ctx.params.name, url: new URL(ctx.request.url).pathname }))
    .on('GET /api/broken', () => ({}))
    .on('POST /api/mcp', mcp(Object.fromEntries([...MATRIX, OUTAGE].map(({ route }) => [toToolName(route), route]))))
}

async function assertAdmin(ctx: Context): Promise<void> {
  const user = await ctx.auth?.getUser()
  if (!user) throw new ApiError('UNAUTHORIZED', 'Sign in')
  if (user.name !== 'Admin') throw new ApiError('FORBIDDEN', 'Only admins')
}
