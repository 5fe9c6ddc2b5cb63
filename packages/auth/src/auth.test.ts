import { type Database, openDatabase } from '@sdk/database'
import { createApp, createLog, createRouter, type Context } from '@sdk/server'
import { createDatabase, hasPostgres, startPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Auth, createAuth, createSessionMiddleware, mountAuthRoutes } from './index.ts'

const ORIGIN = 'http://app.test'
const SECRET = 'a secret of the tests, long enough to be one'
const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

const KINDS = [
  { kind: 'pglite', isHere: true, url: async () => 'pglite://memory' },
  { kind: 'postgres', isHere: hasPostgres(), url: createDatabase },
] as const

for (const { kind, isHere, url } of KINDS) {
  describe.skipIf(!isHere)(`auth on ${kind}`, () => {
    let database: Database
    let auth: Auth
    let app: ReturnType<typeof createTestApp>
    beforeAll(async () => {
      database = openDatabase(await url())
      auth = createAuth({ database, secret: SECRET })
      app = createTestApp(auth)
      await auth.ready()
    }, 60_000)
    afterAll(() => database.close())

    it('goes from sign-up by cookie and token to sign-out, which ends both', async () => {
      const browser = createBrowser(app)
      expect((await browser.get('/api/me')).status).toBe(401)

      const signUp = await browser.post('/api/auth/sign-up/email', ADA)
      expect(signUp.status).toBe(200)
      expect(signUp.headers.get('cache-control')).toBe('no-store')
      expect(signUp.headers.getSetCookie()[0]).toMatch(/^sdk\.session_token=.*HttpOnly.*SameSite=Lax/i)
      expect(await readJson(await browser.get('/api/me'))).toMatchObject({
        via: 'cookie',
        user: { name: 'Ada', email: 'ada@example.com', emailVerified: false, image: null },
      })

      const { token, expiresAt } = await getToken(browser)
      expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(9 * 60_000)
      const asBearer = { authorization: `Bearer ${token}` }
      const me = await readJson(await app.fetch(new Request(`${ORIGIN}/api/me`, { headers: asBearer })))
      expect(me).toMatchObject({ via: 'bearer', user: { name: 'Ada', image: null } })
      expect(Object.keys(me['user'] as object).toSorted()).toEqual([
        'createdAt',
        'email',
        'emailVerified',
        'id',
        'image',
        'name',
        'updatedAt',
      ])

      const cookie = browser.cookie()
      expect((await browser.post('/api/auth/sign-out', {})).status).toBe(200)
      for (const headers of [asBearer, { cookie }])
        expect((await app.fetch(new Request(`${ORIGIN}/api/me`, { headers }))).status).toBe(401)
    })

    it('knows a socket by the token it offers as a subprotocol', async () => {
      const browser = await signedIn(app)
      const { token } = await getToken(browser)
      const headers = new Headers({ 'sec-websocket-protocol': `sdk.v1, sdk.token.${token}` })
      const known = await auth.getSession(headers)
      expect(await known?.getUser()).toMatchObject({ name: 'Ada' })
    })

    it('answers a wrong password with 401, its own members and the envelope', async () => {
      await signedIn(app)
      const answer = await createBrowser(app).post('/api/auth/sign-in/email', { ...ADA, password: 'wrong password' })
      expect(answer.status).toBe(401)
      expect(await readJson(answer)).toEqual({
        code: 'INVALID_EMAIL_OR_PASSWORD',
        message: 'Invalid email or password',
        error: { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password', details: [] },
      })
    })

    it('answers mistakes with the envelope too', async () => {
      const browser = createBrowser(app)
      const cases = [
        { answer: await browser.post('/api/auth/sign-up/email', {}), status: 400, code: 'INVALID_REQUEST' },
        { answer: await browser.post('/api/auth/nowhere', {}), status: 404, code: 'NOT_FOUND' },
        { answer: await browser.post('/api/auth/access-token', {}), status: 401, code: 'UNAUTHORIZED' },
      ]
      for (const { answer, status, code } of cases) {
        expect(answer.status).toBe(status)
        expect(await readJson(answer)).toMatchObject({ error: { code, details: [] } })
      }
    })

    it('takes no cookie or token that it did not sign', async () => {
      const browser = await signedIn(app)
      const cookie = browser.cookie()
      const [name = '', value = ''] = cookie.split('=')
      const { token } = await getToken(browser)
      const forged: Record<string, string>[] = [
        { cookie: `${name}=${value.slice(0, -6)}abcdef` },
        { cookie: `${name}=${decodeURIComponent(value).split('.')[0]}` },
        { cookie: `${name}=` },
        { cookie: `${name}=${'x'.repeat(8_000)}` },
        { cookie: `${name}=%` },
        { authorization: `Bearer ${token.slice(0, -4)}AAAA` },
        { authorization: `Bearer ${decodeURIComponent(value).split('.')[0]}` },
        { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.' },
        { authorization: 'Basic YWRhOmNvcnJlY3QgaG9yc2U=' },
        // A bad token is not made good by a cookie beside it.
        { cookie, authorization: 'Bearer bad' },
      ]
      for (const headers of forged) {
        const answer = await app.fetch(new Request(`${ORIGIN}/api/me`, { headers }))
        expect({ headers, status: answer.status }).toEqual({ headers, status: 401 })
      }
    })

    it('refuses foreign pages that act with the cookie, and only with the cookie', async () => {
      const browser = await signedIn(app)
      const { token } = await getToken(browser)
      const post = async (path: string, headers: Record<string, string>): Promise<number> =>
        (await app.fetch(new Request(ORIGIN + path, { method: 'POST', headers: { ...headers, host: 'app.test' } })))
          .status
      const cookie = browser.cookie()
      expect(await post('/api/act', { cookie, origin: ORIGIN })).toBe(200)
      expect(await post('/api/act', { cookie })).toBe(200)
      for (const origin of ['http://evil.test', 'null', 'http://app.test.evil.test'])
        for (const path of ['/api/act', '/api/auth/access-token', '/api/auth/sign-out'])
          expect(await post(path, { cookie, origin })).toBe(403)
      expect(await post('/api/act', { cookie, 'sec-fetch-site': 'cross-site' })).toBe(403)
      expect(await post('/api/act', { authorization: `Bearer ${token}`, origin: 'http://evil.test' })).toBe(200)
    })

    it('over https locks the cookie to it, and takes no page but those of its origins', async () => {
      const secure = createAuth({
        database,
        secret: SECRET,
        baseURL: 'https://app.test',
        trustedOrigins: ['https://admin.test'],
      })
      const post = (path: string, headers: Record<string, string>): Promise<Response> =>
        createTestApp(secure).fetch(
          new Request(`https://app.test${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', host: 'app.test', ...headers },
            body: JSON.stringify(ADA),
          }),
        )
      await signedIn(app)
      const signIn = await post('/api/auth/sign-in/email', { origin: 'https://app.test' })
      const line = signIn.headers.getSetCookie()[0] ?? ''
      expect(line).toMatch(/^__Secure-sdk\.session_token=.*; Secure/)
      const cookie = line.slice(0, line.indexOf(';'))
      for (const path of ['/api/act', '/api/auth/access-token']) {
        expect((await post(path, { cookie, origin: 'https://app.test' })).status).toBe(200)
        expect((await post(path, { cookie, origin: 'https://admin.test' })).status).toBe(200)
        expect((await post(path, { cookie, origin: 'http://app.test' })).status).toBe(403)
      }
    })

    it('lets callers pass who are not signed in where the middleware is optional', async () => {
      expect(await readJson(await createBrowser(app).get('/open/me'))).toEqual({ via: null, user: null })
    })

    it('migrates again without changing anything', async () => {
      const browser = await signedIn(app)
      await auth.migrate()
      await auth.migrate()
      expect((await browser.get('/api/me')).status).toBe(200)
    })
  })
}

describe.skipIf(!hasPostgres())('auth on a PostgreSQL server', () => {
  it('lets six start and migrate one empty database at once', async () => {
    const connectionString = await createDatabase()
    const fleet = Array.from({ length: 6 }, () => createAuth({ connectionString, secret: SECRET }))
    await Promise.all(fleet.map((auth) => auth.ready()))
    const [first, last] = [fleet[0], fleet.at(-1)]
    if (!first || !last) throw new Error('no fleet')
    const browser = await signedIn(createTestApp(first))
    const elsewhere = await createTestApp(last).fetch(
      new Request(`${ORIGIN}/api/me`, { headers: { cookie: browser.cookie() } }),
    )
    expect(elsewhere.status).toBe(200)
    await Promise.all(fleet.map((auth) => auth.close()))
  }, 60_000)

  it('refuses an unsafe change and leaves the tables as they were', async () => {
    const database = openDatabase(await createDatabase())
    const auth = createAuth({ database, secret: SECRET })
    await auth.ready()
    await signedIn(createTestApp(auth))
    const schema = { user: { fields: { badge: { type: 'string', required: true } }, modelName: 'user' } }
    const extra = { extra: { fields: { name: { type: 'string' } } } }
    const unsafe = createAuth({
      database,
      secret: SECRET,
      plugins: [Object.assign({ id: 'unsafe' }, { schema: { ...extra, ...schema } })],
    })
    await expect(unsafe.ready()).rejects.toThrow('badge')
    const tables = await database.query(`select table_name from information_schema.tables where table_name = 'extra'`)
    expect(tables).toEqual([])
    await database.close()
  }, 60_000)

  it('is 503 while the server is away, never 401, and recovers by itself', async () => {
    const server = await startPostgres()
    const auth = createAuth({ connectionString: server.url, secret: SECRET })
    const app = createTestApp(auth)
    const browser = await signedIn(app)
    const { token } = await getToken(browser)
    const asBearer = { authorization: `Bearer ${token}` }
    const asCookie = { cookie: browser.cookie(), origin: ORIGIN, 'content-type': 'application/json' }
    const body = JSON.stringify(ADA)
    await server.kill()
    for (const headers of [asBearer, asCookie])
      expect((await app.fetch(new Request(`${ORIGIN}/api/me`, { headers }))).status).toBe(503)
    for (const path of ['/access-token', '/sign-out', '/sign-in/email', '/sign-up/email']) {
      const request = new Request(`${ORIGIN}/api/auth${path}`, { method: 'POST', headers: asCookie, body })
      await expect(auth.handler(request)).rejects.toMatchObject({ status: 503 })
    }
    const reading = new Request(`${ORIGIN}/api/auth/get-session`, { headers: asCookie })
    await expect(auth.handler(reading)).rejects.toMatchObject({ status: 503 })
    await server.start()
    expect((await browser.get('/api/me')).status).toBe(200)
    await auth.close()
    await server.stop()
  }, 60_000)
})

function createTestApp(auth: Auth) {
  const me = async (ctx: Context) => ({ via: ctx.auth?.via ?? null, user: (await ctx.auth?.getUser()) ?? null })
  const router = createRouter()
    .use('/api/*', createSessionMiddleware(auth))
    .use('/open/*', createSessionMiddleware(auth, { optional: true }))
    .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
    .on('GET /api/me', me)
    .on('GET /open/me', me)
    .on('POST /api/act', () => ({ done: true }))
  return createApp({ agents: [], router, log: createLog({ write: () => {} }) })
}

interface Browser {
  get(path: string): Promise<Response>
  post(path: string, body: unknown): Promise<Response>
  cookie(): string
}

/** Keeps cookies and names its origin, as a page of the app does. */
function createBrowser(app: { fetch(request: Request): Promise<Response> }): Browser {
  let cookie = ''
  async function send(path: string, init: RequestInit): Promise<Response> {
    const headers = { origin: ORIGIN, host: 'app.test', 'content-type': 'application/json', ...(cookie && { cookie }) }
    const answer = await app.fetch(new Request(ORIGIN + path, { ...init, headers }))
    for (const line of answer.headers.getSetCookie())
      cookie = line.includes('Max-Age=0') ? '' : (line.split(';')[0] ?? '')
    return answer
  }
  return {
    get: (path) => send(path, {}),
    post: (path, body) => send(path, { method: 'POST', body: JSON.stringify(body) }),
    cookie: () => cookie,
  }
}

async function signedIn(app: { fetch(request: Request): Promise<Response> }): Promise<Browser> {
  const browser = createBrowser(app)
  const signIn = await browser.post('/api/auth/sign-in/email', ADA)
  const answer = signIn.ok ? signIn : await browser.post('/api/auth/sign-up/email', ADA)
  expect(answer.status).toBe(200)
  return browser
}

async function getToken(browser: Browser): Promise<{ token: string; expiresAt: string }> {
  const answer = await browser.post('/api/auth/access-token', {})
  expect(answer.status).toBe(200)
  const body = await readJson(answer)
  return { token: String(body['token']), expiresAt: String(body['expiresAt']) }
}

async function readJson(answer: Response): Promise<Record<string, unknown>> {
  return (await answer.json()) as Record<string, unknown>
}
