import { describe, expect, it } from 'vitest'
import { createApp, createRouter, type Log, type Reply, type RequestAuth, type SessionMiddleware } from './index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

describe('who calls', () => {
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

  it('is asked of the headers that the session names', async () => {
    expect(await (await send({ 'x-forwarded-user': 'ada' })).json()).toBe('ada')
    expect(await (await send({ authorization: 'Bearer ada' })).json()).toBeNull()
  })

  it('may act from pages of the same host where the session says no more', async () => {
    const ada = { 'x-forwarded-user': 'ada' }
    expect((await send({ ...ada, origin: 'https://a.example' }, 'POST')).status).toBe(200)
    for (const origin of ['https://b.example', 'null'])
      expect((await send({ ...ada, origin }, 'POST')).status).toBe(403)
  })
})
