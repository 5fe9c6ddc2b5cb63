import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createAgent,
  createApp,
  createResource,
  createRouter,
  createSocket,
  memoryStore,
  openapi,
  type Log,
} from '../index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const handler = (): string => 'ok'

describe('createApp', () => {
  it.each([
    [
      'two routes with the same path',
      () => ({ router: createRouter().on('GET /api/a', handler).on('GET|POST /api/a', handler) }),
      'GET /api/a is defined twice',
    ],
    [
      'two agents with the same name',
      () => ({ agents: [createAgent('echo', { handler }), createAgent('echo', { handler })] }),
      'the agent "echo" is defined twice',
    ],
    [
      'two sockets with the same path',
      () => ({ router: createRouter().socket('/ws/a', createSocket({})).socket('/ws/a', createSocket({})) }),
      'the socket /ws/a is defined twice',
    ],
    [
      'a route under a resource path',
      () => ({ router: createRouter().on('GET /api/v2/tasks', handler) }),
      'are reserved for resources',
    ],
    [
      'a route under /api/auth',
      () => ({
        router: createRouter()
          .on('GET|POST /api/auth/*', { rateLimit: 'auth', handler })
          .on('GET /api/auth/mine', handler),
      }),
      'paths under /api/auth are reserved for auth',
    ],
  ])('throws with the source location of %s', (_name, options, message) => {
    const create = (): unknown => createApp({ log: silent, ...(options() as object) })
    expect(create).toThrow(message)
    expect(create).toThrow(/definitions\.test\.ts:\d+:\d+/)
  })

  it.each([
    '/api/v1',
    '/api/v1/tasks/:id',
    '/api/v1/tasks/search',
    '/api/v1/tasks/a/b',
    '/api/v1/:any/:id/a',
    '/api/v1/*',
  ])('rejects the route %s, which is reserved for resources', (path) => {
    const create = (): unknown => createApp({ log: silent, router: createRouter().on(`GET ${path}`, handler) })
    expect(create).toThrow('are reserved for resources; use .resource(')
  })

  it('accepts routes below a row of a resource', async () => {
    const things = createResource('things', { schema: z.object({}), store: memoryStore(), access: 'public' })
    const router = createRouter()
      .resource('v1', things)
      .on('GET /api/v1/things/:id/summary', {
        params: z.object({ id: z.coerce.number().int() }),
        handler: (ctx) => ({ of: ctx.params.id }),
      })
    const app = createApp({ log: silent, router })
    const get = (path: string): Promise<Response> => app.fetch(new Request(`http://localhost/api/v1/things${path}`))
    expect(await (await get('/7/summary')).json()).toEqual({ of: 7 })
    expect([(await get('/7')).status, (await get('/7/other')).status, (await get('/x')).status]).toEqual([
      404, 404, 400,
    ])
    expect((await openapi(app)).paths).toHaveProperty('/api/v1/things/{id}/summary')
  })

  it('accepts paths that only resemble reserved ones', () => {
    const router = createRouter()
      .on('GET /api/v1x', handler)
      .on('GET /api/vote', handler)
      .on('GET|POST /api/auth/*', { rateLimit: 'auth', handler })
      .on('GET /api/authors', handler)
    expect(createApp({ log: silent, router }).routes).toHaveLength(5)
  })
})

describe('an app', () => {
  const app = createApp({
    log: silent,
    agents: [createAgent('echo', { description: 'Echoes', handler: (_ctx, input) => input })],
    router: createRouter()
      .on('GET /api/files/:owner/*', (ctx) => ctx.params)
      .on('GET /api/reports/:id', (ctx) => ctx.params)
      // oxlint-disable-next-line unicorn/no-thenable -- like query builders
      .on('GET /api/lazy', () => ({ then: (done: (value: unknown) => void) => done({ rows: 3 }) })),
  })
  const get = async (path: string, init?: RequestInit): Promise<[number, unknown]> => {
    const response = await app.fetch(new Request(`http://localhost${path}`, init))
    return [response.status, await response.json()]
  }
  /** Sends the path unchanged: `new Request` would normalize it. */
  const raw = async (target: string): Promise<number> => {
    const call = { method: 'GET', target, ip: '', isSecure: false, header: () => null } as never
    return (await app.handle(call)).status
  }

  it('passes the rest of a path as params["*"]', async () => {
    expect(await get('/api/files/ada/a/b%20c/d%2Fe')).toEqual([200, { owner: 'ada', '*': 'a/b c/d/e' }])
  })

  it.each([
    '/api/files/ada/a//b',
    '/api/files/ada/a/',
    '/api/files/ada/',
    '/api/files/ada',
    '/api/files/ada/../secret',
    '/api/files/ada/%2e%2E/secret',
    '/api/files/ada/.',
    '/api/reports/..',
    '/api/reports/%2e',
    '/api/reports//',
  ])('returns 404 for %s', async (path) => {
    expect(await raw(path)).toBe(404)
  })

  it.each(['/api/reports/...', '/api/reports/.a', '/api/files/ada/..a/b..'])('returns 200 for %s', async (path) => {
    expect(await raw(path)).toBe(200)
  })

  it('awaits thenables', async () => {
    expect(await get('/api/lazy')).toEqual([200, { rows: 3 }])
  })

  it('describes agents only in development', async () => {
    expect(await get('/agent/echo')).toMatchObject([405, { error: { code: 'METHOD_NOT_ALLOWED' } }])
    const agents = [createAgent('echo', { description: 'Echoes', handler })]
    const open = createApp({ log: silent, isDevelopment: true, agents })
    const response = await open.fetch(new Request('http://localhost/agent/echo'))
    expect(await response.json()).toEqual({
      name: 'echo',
      route: 'POST /agent/echo',
      description: 'Echoes',
      input: null,
      checkedBy: null,
      output: null,
    })
    expect(open.routes.map(({ route }) => route)).toEqual(['POST /agent/echo'])
  })

  it('lists the receive schema of sockets only in development', () => {
    const chat = createSocket({ receive: z.object({ text: z.string() }) })
    const receiveOf = (isDevelopment: boolean): unknown =>
      createApp({ log: silent, isDevelopment, router: createRouter().socket('/ws/chat', chat) }).routes[0]?.receive
    expect(receiveOf(true)).toMatchObject({ type: 'object', required: ['text'] })
    expect(receiveOf(false)).toBeUndefined()
  })

  it('returns RFC 9457 problem details if Accept lists them', async () => {
    const [status, body] = await get('/api/none', { headers: { accept: 'application/json, application/problem+json' } })
    expect([status, body]).toEqual([
      404,
      {
        type: 'about:blank',
        title: 'Not found',
        status: 404,
        detail: 'no route matches /api/none',
        error: { code: 'NOT_FOUND', message: 'no route matches /api/none', details: [] },
      },
    ])
  })
})
