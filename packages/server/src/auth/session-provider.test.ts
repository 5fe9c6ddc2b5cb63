import { describe, expect, it } from 'vitest'
import {
  createApp,
  createRouter,
  requireScope,
  requireUser,
  serve,
  type Log,
  type Reply,
  type RequestAuth,
  type SessionMiddleware,
} from '../index.ts'
import { testApp } from '../testing.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

describe('session middleware', () => {
  const pass = (_ctx: unknown, next: () => Promise<Reply>): Promise<Reply> => next()
  const byProxy: SessionMiddleware = Object.assign(pass, {
    credentials: ['x-forwarded-user'],
    authenticate(headers: { get(name: string): string | null }): RequestAuth | null {
      const id = headers.get('x-forwarded-user')
      if (id === null) return null
      const getUser = (): Promise<never> => Promise.reject(new Error('unused'))
      return { via: 'cookie', session: { id, userId: id, expiresAt: '' }, getUser }
    },
  })
  const router = createRouter()
    .use('/api/*', byProxy)
    .on('GET|POST /api/me', (ctx) => ctx.auth?.session.userId ?? null)
  const app = createApp({ log: silent, router })
  const send = (headers: Record<string, string>, method = 'GET'): Promise<Response> =>
    app.fetch(new Request('http://a.example/api/me', { method, headers: { host: 'a.example', ...headers } }))

  it('reads the headers that credentials lists', async () => {
    expect(await (await send({ 'x-forwarded-user': 'ada' })).json()).toBe('ada')
    expect(await (await send({ authorization: 'Bearer ada' })).json()).toBeNull()
  })

  it('matches the names of credentials case-insensitively', async () => {
    const loud: SessionMiddleware = Object.assign(pass.bind(null), {
      credentials: ['X-Forwarded-User'],
      authenticate: (headers: { get(name: string): string | null }) =>
        byProxy.authenticate({ get: () => headers.get('X-Forwarded-User') }),
    })
    const routes = createRouter()
      .use('/api/*', loud)
      .on('GET /api/me', (ctx) => ctx.auth?.session.userId ?? null)
    const { port, close } = await serve(createApp({ log: silent, router: routes }), { port: 0, signals: false })
    const response = await fetch(`http://127.0.0.1:${port}/api/me`, { headers: { 'x-forwarded-user': 'ada' } })
    expect(await response.json()).toBe('ada')
    await close()
  })

  it('allows writes only from pages of the same host by default', async () => {
    const ada = { 'x-forwarded-user': 'ada' }
    expect((await send({ ...ada, origin: 'https://a.example' }, 'POST')).status).toBe(200)
    for (const origin of ['https://b.example', 'null'])
      expect((await send({ ...ada, origin }, 'POST')).status).toBe(403)
  })
})

describe('a session provider with credentials for some paths', () => {
  const pass = (_ctx: unknown, next: () => Promise<Reply>): Promise<Reply> => next()
  const getUser = (): Promise<never> => Promise.reject(new Error('unused'))
  const session = { id: 's', userId: 'ada', expiresAt: '' }
  const provider: SessionMiddleware = Object.assign(pass, {
    authenticate: (_headers: unknown, path?: string): RequestAuth | null =>
      path?.startsWith('/api/tools') === true ? { via: 'oauth', scopes: ['read'], session, getUser } : null,
    challenge: (_headers: unknown, path: string) => (path.startsWith('/api/tools') ? 'resource_metadata="m"' : null),
    wellKnown: [{ path: '/.well-known/example', read: (request: Request) => ({ url: request.url }) }],
  })
  const router = createRouter()
    .use('/api/*', provider)
    .on('GET /api/:name', (ctx) => requireScope(ctx, ctx.params.name === 'tools' ? 'write' : 'read') ?? null)
    .on('GET /api/tools/read', (ctx) => requireScope(ctx, 'read') ?? null)
    .on('GET /api/tools/closed', () => new Response(null, { status: 403 }))
  const app = createApp({ log: silent, router, cors: ['https://b.example'] })
  const get = async (path: string, headers: Record<string, string> = { authorization: 'Bearer t' }) => {
    const response = await app.fetch(new Request(`http://a.example${path}`, { headers }))
    return [response.status, response.headers.get('www-authenticate')]
  }

  it('adds its parameters to the challenges of 401 and 403 responses', async () => {
    expect(await get('/api/tools/read')).toEqual([200, null])
    const insufficient = 'Bearer error="insufficient_scope", scope="write", resource_metadata="m"'
    expect(await get('/api/tools')).toEqual([403, insufficient])
    expect(await get('/api/tools/closed')).toEqual([403, null])
    expect(await get('/api/other')).toEqual([401, 'Bearer'])
    expect(await get('/api/tools/read', {})).toEqual([401, 'Bearer resource_metadata="m"'])
  })

  it('serves its documents to pages of every origin', async () => {
    const url = 'http://a.example/.well-known/example'
    expect([app.owns('/.well-known/example?x'), app.owns('/.well-known/other')]).toEqual([true, false])
    const response = await app.fetch(new Request(url, { headers: { origin: 'https://b.example' } }))
    expect([response.headers.get('access-control-allow-origin'), await response.json()]).toEqual(['*', { url }])
  })
})

describe('requireUser', () => {
  it('returns the user, or throws 401 with the given message', async () => {
    const router = createRouter()
      .on('GET /api/me', async (ctx) => (await requireUser(ctx)).name)
      .on('GET /api/mine', async (ctx) => (await requireUser(ctx, 'sign in to see yours')).name)
    const app = await testApp(createApp({ log: silent, router }))
    expect(await app.as({ name: 'Ada' }).call('GET /api/me')).toBe('Ada')
    const guest = await app.send('GET /api/mine')
    expect([guest.status, guest.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await guest.json()).toEqual({
      error: { code: 'UNAUTHORIZED', message: 'sign in to see yours', details: [] },
    })
    await expect(app.call('GET /api/me')).rejects.toThrow('sign in first')
    await app.close()
  })
})
