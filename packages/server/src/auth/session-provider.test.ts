import { describe, expect, it } from 'vitest'
import {
  createApp,
  createRouter,
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
