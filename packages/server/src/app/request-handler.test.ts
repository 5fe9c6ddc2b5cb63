import type { RequestAuth } from '../auth/identity.ts'
import { describe, expect, it } from 'vitest'
import {
  ApiError,
  createAgent,
  createApp,
  createRouter,
  memoryEngine,
  type AppOptions,
  type Log,
  type Reply,
  type SessionMiddleware,
} from '../index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

const session: SessionMiddleware = Object.assign((_ctx: unknown, next: () => Promise<Reply>) => next(), {
  // Reads the identity from the authorization header.
  authenticate: (headers: { get(name: string): string | null }): Promise<RequestAuth | null> => {
    const [via, userId] = (headers.get('authorization') ?? '').split(' ')
    if (userId === undefined || (via !== 'cookie' && via !== 'bearer')) return Promise.resolve(null)
    const auth = {
      session: { id: 's', userId, expiresAt: '' },
      via,
      getUser: () => Promise.reject(new Error('unused')),
    }
    return Promise.resolve(auth as RequestAuth)
  },
  trusts: (origin: string) => origin === 'http://localhost',
})

type Options = Pick<AppOptions<unknown, []>, 'rateLimit' | 'cors' | 'engine' | 'trustedProxies'>

function open(options: Options): (path: string, init?: RequestInit) => Promise<Response> {
  const app = createApp({
    log: silent,
    agents: [createAgent('echo', { handler: (_ctx, input) => input })],
    router: createRouter()
      .use('/api/*', session)
      .on('GET|POST /api/thing', () => 'ok')
      .on('GET /api/address', (ctx) => ctx.address)
      .on('GET /api/same', () => new Response(null, { status: 304 }))
      .on('POST /api/auth/*', { rateLimit: 'auth', handler: () => 'ok' }),
    ...options,
  })
  return (path, init) => app.fetch(new Request(`http://localhost${path}`, init))
}

const as = (user: string, more = {}): RequestInit => ({ headers: { authorization: `bearer ${user}`, ...more } })

describe('rate limits', () => {
  it('do not count preflights and 304 responses', async () => {
    const send = open({ rateLimit: { default: { quota: 2, window: 60 } } })
    for (let n = 0; n < 5; n++) {
      expect((await send('/api/same')).status).toBe(304)
      expect((await send('/api/thing', { method: 'OPTIONS' })).status).toBe(204)
    }
    expect((await send('/api/thing')).headers.get('ratelimit')).toBe('"default";r=1;t=30')
  })

  it('count the OpenAPI document, but not its 304 responses or health checks', async () => {
    const send = open({ rateLimit: { default: { quota: 2, window: 60 } } })
    const first = await send('/api/v1/openapi.json')
    expect([first.status, first.headers.get('ratelimit')]).toEqual([200, '"default";r=1;t=30'])
    const { paths } = (await first.json()) as { paths: object }
    expect(paths).toHaveProperty('/api/thing')
    const etag = first.headers.get('etag') ?? ''
    for (let n = 0; n < 5; n++)
      expect((await send('/api/v1/openapi.json', { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await send('/api/v1/openapi.json')).headers.get('ratelimit')).toBe('"default";r=0;t=30')
    expect((await send('/api/v1/openapi.json')).status).toBe(429)
    for (const path of ['/healthz', '/readyz']) expect((await send(path)).headers.has('ratelimit')).toBe(false)
  })

  it('reject excessive requests for unchanged content', async () => {
    const send = open({ rateLimit: { default: { quota: 2, window: 60 } } })
    const statuses: number[] = []
    for (let n = 0; n < 23; n++) statuses.push((await send('/api/same')).status)
    expect(statuses).toEqual([...Array<number>(22).fill(304), 429])
  })

  it('send the policy headers, and 429 with Retry-After', async () => {
    const send = open({ rateLimit: { default: { quota: 2, window: 60 } } })
    const first = await send('/api/thing')
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=2;w=60')
    expect(first.headers.get('ratelimit')).toBe('"default";r=1;t=30')
    await send('/api/thing')
    const refused = await send('/api/thing')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('30')
    expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=30')
    expect(await refused.json()).toMatchObject({
      error: { code: 'TOO_MANY_REQUESTS', details: [{ code: 'QUOTA_EXCEEDED', policy: 'default' }] },
    })
  })

  it('count users separately and anonymous requests by address', async () => {
    const send = open({ rateLimit: { default: { quota: 1, window: 60 } } })
    const statuses = [
      await send('/api/thing', as('ada')),
      await send('/api/thing', as('ada')),
      await send('/api/thing', as('bob')),
      await send('/api/thing'),
      await send('/api/thing'),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([200, 429, 200, 200, 429])
  })

  it('count agents in two policies and name the exceeded one', async () => {
    const send = open({ rateLimit: { default: { quota: 10, window: 60 }, agent: { quota: 1, window: 60 } } })
    const post = { method: 'POST' }
    expect((await send('/agent/echo', post)).headers.get('ratelimit')).toBe('"default";r=9;t=6, "agent";r=0;t=60')
    const refused = await send('/agent/echo', post)
    expect(await refused.json()).toMatchObject({ error: { details: [{ policy: 'agent' }] } })
    expect((await send('/api/thing')).status).toBe(200)
  })

  it('count sign-in attempts by address, regardless of the credentials', async () => {
    const send = open({ rateLimit: { auth: { quota: 1, window: 60 } } })
    const statuses = [
      await send('/api/auth/in', { method: 'POST', ...as('ada') }),
      await send('/api/auth/in', { method: 'POST', ...as('bob') }),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([200, 429])
  })

  it('do not block signed-in users after failed sign-in attempts from their address', async () => {
    const send = open({ rateLimit: { auth: { quota: 1, window: 60 } } })
    const attempt = { method: 'POST', headers: { authorization: 'Bearer nobody', cookie: 'a=b' } }
    await send('/api/auth/in', attempt)
    expect((await send('/api/auth/in', attempt)).status).toBe(429)
    expect((await send('/api/thing', as('ada'))).status).toBe(200)
  })

  it('use the address that a trusted proxy forwards', async () => {
    const send = open({ rateLimit: { default: { quota: 1, window: 60 } }, trustedProxies: ['127.0.0.1'] })
    const from = (address: string): Promise<Response> => send('/api/thing', { headers: { 'x-forwarded-for': address } })
    const statuses = [await from('203.0.113.1'), await from('203.0.113.2'), await from('203.0.113.1')]
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429])
  })

  it('resolve ctx.address through the trusted proxies', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.1, ::ffff:198.51.100.7' }
    const addresses: unknown[] = []
    for (const trustedProxies of [[], ['127.0.0.1'], ['127.0.0.1', '198.51.100.7']])
      addresses.push(await (await open({ trustedProxies, rateLimit: false })('/api/address', { headers })).json())
    expect(addresses).toEqual(['127.0.0.1', '198.51.100.7', '203.0.113.1'])
  })

  it('are disabled with rateLimit: false', async () => {
    const response = await open({ rateLimit: false })('/api/thing')
    expect([response.status, response.headers.get('ratelimit')]).toEqual([200, null])
  })

  it('do not apply while the engine is down, except to sign-in attempts', async () => {
    const take = (): never => {
      throw new Error('down')
    }
    const send = open({
      engine: { ...memoryEngine(), take },
      rateLimit: { default: { quota: 1, window: 60 }, auth: { quota: 1, window: 60 } },
    })
    expect([(await send('/api/thing')).status, (await send('/api/thing')).status]).toEqual([200, 200])
    const post = { method: 'POST' }
    expect([(await send('/api/auth/in', post)).status, (await send('/api/auth/in', post)).status]).toEqual([200, 429])
  })

  it('throw if a quota is 0', () => {
    expect(() => open({ rateLimit: { agent: { quota: 0, window: 60 } } })).toThrow('rateLimit.agent')
  })
})

describe('other origins', () => {
  const preflight = (origin: string): RequestInit => ({
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  })

  it('get no CORS headers without the cors option', async () => {
    const response = await open({})('/api/thing', { headers: { origin: 'https://app.example.com' } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, null])
  })

  it('can read responses only if they are listed exactly', async () => {
    const send = open({ cors: ['https://app.example.com'] })
    const known = await send('/api/thing', { headers: { origin: 'https://app.example.com' } })
    expect(known.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
    expect(known.headers.get('access-control-allow-credentials')).toBe('true')
    expect(known.headers.get('vary')).toBe('Accept, Authorization, Cookie, Origin')
    const foreign = await send('/api/thing', { headers: { origin: 'https://app.example.com.evil.example' } })
    expect([foreign.headers.get('access-control-allow-origin'), foreign.headers.get('vary')]).toEqual([
      null,
      'Accept, Authorization, Cookie, Origin',
    ])
  })

  it('get 204 for a preflight, listed or not, regardless of rate limits', async () => {
    const send = open({ cors: ['https://app.example.com'], rateLimit: { default: { quota: 1, window: 60 } } })
    for (let n = 0; n < 3; n++) {
      const known = await send('/api/thing', preflight('https://app.example.com'))
      expect([known.status, known.headers.get('access-control-max-age')]).toEqual([204, '600'])
      for (const name of ['Idempotency-Key', 'Last-Event-ID', 'Prefer'])
        expect(known.headers.get('access-control-allow-headers')).toContain(name)
    }
    const foreign = await send('/api/thing', preflight('https://evil.example'))
    expect([foreign.status, foreign.headers.get('access-control-allow-methods')]).toEqual([204, null])
    expect((await send('/api/nothing', preflight('https://app.example.com'))).status).toBe(404)
  })

  it('must be listed as exact origins', () => {
    for (const origin of ['*', 'https://a.example/', 'a.example', 'https://*.example']) {
      expect(() => open({ cors: [origin] })).toThrow(TypeError)
    }
  })

  it.each([
    ['its own origin', { origin: 'http://localhost' }, 200],
    ['no Origin header', {}, 200],
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['a null origin', { origin: 'null' }, 403],
    ['a cross-site request without Origin', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('are checked for writes with a cookie: %s', async (_name, headers, status) => {
    const send = open({})
    const post = { method: 'POST', headers: { authorization: 'cookie ada', ...headers } }
    expect((await send('/api/thing', post)).status).toBe(status)
    expect((await send('/agent/echo', post)).status).toBe(status)
    const read = { headers: { authorization: 'cookie ada', ...headers } }
    expect((await send('/api/thing', read)).status).toBe(200)
    const bearer = { method: 'POST', headers: { authorization: 'bearer ada', ...headers } }
    expect((await send('/api/thing', bearer)).status).toBe(200)
  })
})

describe('OPTIONS', () => {
  it('returns the methods of a path in Allow', async () => {
    const response = await open({})('/api/thing', { method: 'OPTIONS' })
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS'])
  })
})

describe('every response', () => {
  it('has the security headers, including errors', async () => {
    const send = open({})
    for (const path of ['/api/thing', '/api/nothing', '/%zz']) {
      const { headers } = await send(path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('x-request-id')).toMatch(/^[\w.~-]{8,128}$/)
      expect(headers.get('cache-control')).toBe(path === '/api/thing' ? 'private, no-cache' : 'no-store')
    }
  })
})

describe('an error', () => {
  it('is logged with the path but without the query, which can contain tokens', async () => {
    const lines: string[] = []
    const log: Log = { ...silent, error: (message, fields) => lines.push(`${message} ${JSON.stringify(fields)}`) }
    const router = createRouter().on('GET /api/fails', () => Promise.reject(new Error('no database')))
    await createApp({ router, log }).fetch(new Request('http://localhost/api/fails?token=secret'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('"target":"/api/fails"')
    expect(lines[0]).not.toContain('secret')
  })

  it('is throttled in the log if it is a 503', async () => {
    const errors: unknown[] = []
    const log: Log = { ...silent, error: (_message, fields) => errors.push(fields?.['error']) }
    const router = createRouter()
      .on('GET /api/away', () => Promise.reject(new ApiError('SERVICE_UNAVAILABLE', 'no database')))
      .on('GET /api/fails', () => Promise.reject(new Error('a mistake')))
    const app = createApp({ router, log, rateLimit: false })
    for (let n = 0; n < 20; n += 1) {
      expect((await app.fetch(new Request('http://localhost/api/away'))).status).toBe(503)
      await app.fetch(new Request('http://localhost/api/fails'))
    }
    // At most once every ten seconds; a slow machine can take longer than that for the loop.
    expect(errors.filter((error) => error === 'no database').length).toBeLessThan(10)
    expect(errors.filter((error) => error === 'a mistake')).toHaveLength(20)
  })
})

describe('an app', () => {
  it('joins the session middleware when it is created and leaves it on close', async () => {
    const events: string[] = []
    const join: SessionMiddleware['join'] = () => {
      events.push('joined')
      return () => void events.push('left')
    }
    const joining = Object.assign((...args: Parameters<typeof session>) => session(...args), session, { join })
    const app = createApp({ router: createRouter().use('/api/*', joining), log: silent })
    expect(events).toEqual(['joined'])
    await app.close()
    expect(events).toEqual(['joined', 'left'])
  })
})
