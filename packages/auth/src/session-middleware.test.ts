import { createHmac } from 'node:crypto'
import { type Database, openDatabase } from '@sdk/database'
import { type App, createAgent, createApp, createLog, createRouter, createSocket } from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ADA, type Browser, createBrowser, ORIGIN, readJson, SECRET } from './auth-app.test.fixture.ts'
import { type Auth, createAuth, createSessionMiddleware, mountAuthRoutes } from './index.ts'

const DAY = 86_400_000

let database: Database
let auth: Auth
let app: App
beforeAll(async () => {
  database = openDatabase(await emptyDatabase())
  auth = createAuth({ database, secret: SECRET, throttle: false })
  app = createTestApp(auth)
  await auth.ready()
})
afterAll(() => database.close())

function createTestApp(by: Auth): App {
  const whoami = createAgent('whoami', { handler: (ctx) => ({ id: ctx.auth?.session.userId ?? null }) })
  const router = createRouter()
    .use('/open/*', createSessionMiddleware(by, { optional: true }))
    .use('/api/*', createSessionMiddleware(by))
    .on('GET|POST /api/auth/*', mountAuthRoutes(by))
    .use('/api/*', createSessionMiddleware(by))
    .on('GET /open/me', (ctx) => ({ id: ctx.auth?.session.userId ?? null }))
    .on('GET /api/me', async (ctx) => ({ id: ctx.auth?.session.userId, email: (await ctx.auth?.getUser())?.email }))
    .on('GET /api/slow', async (ctx) => {
      await new Promise(setImmediate)
      return { id: ctx.auth?.session.userId, email: (await ctx.auth?.getUser())?.email }
    })
    .on('GET /api/leave', async (ctx) => {
      const headers = { cookie: ctx.header('cookie') ?? '', origin: ORIGIN }
      const signOut = new Request(`${ORIGIN}/api/auth/sign-out`, { method: 'POST', headers })
      return { status: (await by.handler(signOut)).status }
    })
    .on('GET /api/stream', async function* stream() {
      yield 'a'
    })
    .on('GET /api/shared', () => new Response('for all', { headers: { 'cache-control': 'public, max-age=60' } }))
    .on('GET /api/own', () => new Response('own', { headers: { 'set-cookie': 'own=1' } }))
    .on('GET /api/tasks', () => 'tasks')
    .on('GET /api/authX/x', () => 'not auth')
    .socket('/ws/chat', createSocket({}))
  return createApp({ agents: [whoami], router, rateLimit: false, log: createLog({ write: () => {} }) })
}

let count = 0

/** Creates a user with a session and returns the cookie; faster than a sign-up, which hashes a password. */
async function insertSession(): Promise<string> {
  const id = `made${(count += 1)}`
  const user = `insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt") values ($1, $1, $2, true, now(), now())`
  await database.query(user, [id, `${id}@example.com`])
  const session = `insert into session (id, token, "userId", "expiresAt", "createdAt", "updatedAt") values ($1, $1, $2, now() + interval '7 days', now(), now())`
  await database.query(session, [`token of ${id}`, id])
  const signature = createHmac('sha256', SECRET).update(`token of ${id}`).digest('base64')
  return `sdk.session_token=${encodeURIComponent(`token of ${id}.${signature}`)}`
}

async function signUp(body: object = {}): Promise<Browser> {
  const browser = createBrowser(app)
  const email = `user${(count += 1)}@example.com`
  expect((await browser.post('/api/auth/sign-up/email', { ...ADA, email, ...body })).status).toBe(200)
  return browser
}

describe('createSessionMiddleware with a scheme', () => {
  const openApp = (scheme: string): App => {
    const router = createRouter()
      .use('/api/*', createSessionMiddleware(auth, { scheme }))
      .on('GET /api/me', (ctx) => ({ id: ctx.auth?.session.userId, via: ctx.auth?.via }))
    return createApp({ router, rateLimit: false, log: createLog({ write: () => {} }) })
  }

  it('accepts the token with that scheme and with Bearer, and no other scheme', async () => {
    const { id } = await auth.users.create({ name: 'Ada', email: 'scheme@example.com' })
    const { token } = await auth.users.createSession(id)
    const schemed = openApp('Token')
    const me = async (by: Pick<App, 'fetch'>, authorization: string): Promise<unknown> => {
      const response = await by.fetch(new Request(`${ORIGIN}/api/me`, { headers: { authorization } }))
      return response.status === 200 ? response.json() : response.status
    }
    const known = { id, via: 'bearer' }
    for (const scheme of ['Token', 'token', 'Bearer']) expect(await me(schemed, `${scheme} ${token}`)).toEqual(known)
    for (const value of [`Basic ${token}`, `TokenX ${token}`, token, 'Token', `Token ${token}x`])
      expect(await me(schemed, value)).toBe(401)
    expect(await me(app, `Token ${token}`)).toBe(401)
  })

  it('throws if the scheme is not a name', () => {
    for (const scheme of ['', 'Token ', '.*'])
      expect(() => openApp(scheme)).toThrow('scheme must be a name such as Token')
  })
})

describe('createSessionMiddleware with two auth instances', () => {
  it('makes createApp throw', () => {
    const other = createAuth({ database, secret: SECRET, basePath: '/admin/auth' })
    const router = createRouter()
      .use('/api/*', createSessionMiddleware(auth))
      .use('/admin/*', createSessionMiddleware(other))
    expect(() => createApp({ router })).toThrow(/one auth/)
  })
})

describe('createSessionMiddleware', () => {
  it.each([
    '/api/tasks',
    '/api/authX/x',
    '/api/./tasks',
    '/api/auth/../tasks',
    '/api/auth/%2e%2e/tasks',
    '/api/auth%2f..%2ftasks',
    '//api/tasks',
    '/api//tasks',
    '/API/tasks',
  ])('rejects %s without a session', async (path) => {
    const call = { method: 'GET', target: path, ip: '', isSecure: false, rawHeaders: [] }
    const request = new Request(ORIGIN)
    const reply = await app.handle({ ...call, header: () => null, signal: request.signal, text: () => '', request })
    expect([401, 404]).toContain(reply.status)
    expect(reply.body).toContain('"error"')
  })

  it('allows auth routes without a session, but not routes with a similar path', async () => {
    const status = async (path: string): Promise<number> => (await app.fetch(new Request(ORIGIN + path))).status
    expect([await status('/api/auth/get-session'), await status('/api/authX/x')]).toEqual([200, 401])
  })

  it('does not mix up the users of concurrent requests', async () => {
    const people = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const cookie = await insertSession()
        const me = await readJson(await app.fetch(new Request(`${ORIGIN}/api/me`, { headers: { cookie } })))
        const headers = { cookie, origin: ORIGIN, host: 'app.test' }
        const made = await app.fetch(new Request(`${ORIGIN}/api/auth/access-token`, { method: 'POST', headers }))
        const { token } = await readJson(made)
        return { me, headers: [{ cookie }, { authorization: `Bearer ${String(token)}` }] }
      }),
    )
    expect(new Set(people.map(({ me }) => me['id'])).size).toBe(20)
    const requests = Array.from({ length: 500 }, async (_, index) => {
      const person = people[(index * 7) % 20]
      const headers = person?.headers[index % 2] ?? {}
      const isAgent = index % 5 === 0
      const [path, method] = isAgent ? ['/agent/whoami', 'POST'] : ['/api/slow', 'GET']
      const init = isAgent
        ? { method, headers: { ...headers, 'content-type': 'application/json' }, body: '{}' }
        : { headers }
      const response = await readJson(await app.fetch(new Request(ORIGIN + path, init)))
      expect(response).toEqual(isAgent ? { id: person?.me['id'] } : person?.me)
    })
    const guests = Array.from({ length: 50 }, async () =>
      expect(await readJson(await app.fetch(new Request(`${ORIGIN}/open/me`)))).toEqual({ id: null }),
    )
    await Promise.all([...requests, ...guests])
  })

  it('accepts valid sessions from an address that exceeded its rate limit', async () => {
    const by = createAuth({ database, secret: SECRET, throttle: false, sessionCacheMs: 0 })
    const router = createRouter()
      .use('/api/*', createSessionMiddleware(by))
      .on('GET|POST /api/auth/*', mountAuthRoutes(by))
      .on('GET /api/me', (ctx) => ({ id: ctx.auth?.session.userId }))
    const limited = createApp({
      router,
      log: createLog({ write: () => {} }),
      rateLimit: { default: { quota: 20, window: 3600 }, auth: false },
    })
    const browser = createBrowser(limited)
    expect((await browser.post('/api/auth/sign-up/email', { ...ADA, email: 'blocked@example.com' })).status).toBe(200)
    expect((await browser.get('/api/me')).status).toBe(200)
    const statusFor = async (headers: Record<string, string>): Promise<number> =>
      (await limited.fetch(new Request(`${ORIGIN}/api/me`, { headers }))).status
    const statuses = new Set<number>()
    for (let at = 0; at < 30; at++) statuses.add(await statusFor({ authorization: `Bearer stranger${at}` }))
    expect([...statuses]).toEqual([401, 429])
    // Although its session is no longer in the cache.
    expect((await browser.get('/api/me')).status).toBe(200)
    const made = await readJson(await browser.post('/api/auth/access-token', {}))
    expect(await statusFor({ authorization: `Bearer ${String(made['token'])}` })).toBe(200)
    expect(await statusFor({ authorization: 'Bearer stranger' })).toBe(429)
    expect(await statusFor({ cookie: 'sdk.session_token=stranger' })).toBe(429)
    expect(await statusFor({})).toBe(429)
    expect((await browser.post('/api/auth/sign-out', {})).status).toBe(200)
    expect(await statusFor({ authorization: `Bearer ${String(made['token'])}` })).toBe(429)
  })

  it('freezes the session and the user', async () => {
    const browser = await signUp()
    const known = await auth.getSession(new Headers({ cookie: browser.cookie() }))
    const user = (await known?.getUser()) as { name: string } | undefined
    expect(() => user && (user.name = 'Eve')).toThrow(TypeError)
    expect(() => known && ((known.session as { userId: string }).userId = 'eve')).toThrow(TypeError)
  })
})

describe('a session in use', () => {
  let fresh: Auth
  let at: App
  let cookie: string
  beforeAll(() => {
    fresh = createAuth({ database, secret: SECRET, throttle: false, sessionCacheMs: 0 })
    at = createTestApp(fresh)
  })
  beforeEach(async () => {
    cookie = await insertSession()
  })

  const get = (path: string, headers: Record<string, string> = { cookie }): Promise<Response> =>
    at.fetch(new Request(ORIGIN + path, { headers }))
  const cookies = async (path: string, headers?: Record<string, string>): Promise<string[]> =>
    (await get(path, headers)).headers.getSetCookie()

  /** Moves the expiry back, as if the session had been created earlier. */
  async function age(ms: number): Promise<void> {
    await database.query(`update session set "expiresAt" = "expiresAt" - $1 * interval '1 ms'`, [ms])
  }
  const lasts = async (): Promise<number> =>
    Date.parse((await fresh.getSession(new Headers({ cookie })))?.session.expiresAt ?? '') - Date.now()

  it('is renewed when it is due, with its cookie in the response', async () => {
    expect(await cookies('/api/tasks')).toEqual([])
    await age(DAY + 1_000)
    const [line, ...more] = await cookies('/api/tasks')
    expect([line?.split(';')[0], more]).toEqual([cookie, []])
    expect(line).toMatch(/Max-Age=604800;.*HttpOnly.*SameSite=Lax/i)
    expect(await lasts()).toBeGreaterThan(6.9 * DAY)
    expect(await cookies('/api/tasks')).toEqual([])
  })

  it('is renewed by a stream and next to other cookies of the response', async () => {
    await age(DAY + 1_000)
    const response = await get('/api/stream')
    expect([response.headers.getSetCookie().length, await response.text()]).toEqual([1, '"a"\n'])
    await age(DAY + 1_000)
    expect((await cookies('/api/own')).map((line) => line.split('=')[0])).toEqual(['own', 'sdk.session_token'])
  })

  it('is renewed by concurrent requests with at most one cookie each', async () => {
    await age(DAY + 1_000)
    const all = await Promise.all(Array.from({ length: 20 }, () => cookies('/api/me')))
    expect(all.every((lines) => lines.length <= 1)).toBe(true)
    expect(all.some((lines) => lines.length === 1)).toBe(true)
  })

  it('is not renewed by a token or in a public response', async () => {
    const headers = { cookie, origin: ORIGIN, host: 'app.test' }
    const made = await at.fetch(new Request(`${ORIGIN}/api/auth/access-token`, { method: 'POST', headers }))
    const { token } = await readJson(made)
    await age(DAY + 1_000)
    expect(await cookies('/api/tasks', { authorization: `Bearer ${String(token)}` })).toEqual([])
    expect(await cookies('/api/shared')).toEqual([])
  })

  it('is not renewed with a dont_remember cookie', async () => {
    await age(6 * DAY)
    const signature = createHmac('sha256', SECRET).update('true').digest('base64')
    const both = `${cookie}; sdk.dont_remember=${encodeURIComponent(`true.${signature}`)}`
    expect((await get('/api/tasks', { cookie: both })).status).toBe(200)
    expect(await cookies('/api/tasks', { cookie: both })).toEqual([])
  })

  it('sets no cookie if the user signs out during the request', async () => {
    await age(DAY + 1_000)
    const response = await get('/api/leave')
    expect([await response.json(), response.headers.getSetCookie()]).toEqual([{ status: 200 }, []])
  })

  it('is not renewed if it has ended in the meantime', async () => {
    await age(DAY + 1_000)
    const known = await fresh.getSession(new Headers({ cookie }))
    await database.query('delete from session where id = $1', [known?.session.id])
    expect(known && (await fresh.renew(known, new Headers({ cookie })))).toEqual([])
    expect((await get('/api/tasks')).status).toBe(401)
  })
})
