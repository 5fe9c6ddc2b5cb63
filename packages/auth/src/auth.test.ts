import { type Database, openDatabase } from '@sdk/database'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADA,
  createBrowser,
  createTestApp,
  getToken,
  ORIGIN,
  readJson,
  SECRET,
  signedIn,
} from './auth-app.test.fixture.ts'
import { createAuthClient } from './client.ts'
import { type Auth, createAuth } from './index.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`auth on ${kind}`, () => {
    let database: Database
    let auth: Auth
    let app: ReturnType<typeof createTestApp>
    beforeAll(async () => {
      database = await open(openDatabase)
      auth = createAuth({ database, secret: SECRET })
      app = createTestApp(auth)
      await auth.ready()
    })
    afterAll(() => database.close())

    it('accepts the cookie and the token from sign-up until sign-out', async () => {
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

    it('authenticates a socket by the token in its subprotocols', async () => {
      const browser = await signedIn(app)
      const { token } = await getToken(browser)
      const headers = new Headers({ 'sec-websocket-protocol': `sdk.v1, sdk.token.${token}` })
      const known = await auth.getSession(headers)
      expect(await known?.getUser()).toMatchObject({ name: 'Ada' })
    })

    it('returns 401 with the error envelope if the password is wrong', async () => {
      await signedIn(app)
      const response = await createBrowser(app).post('/api/auth/sign-in/email', { ...ADA, password: 'wrong password' })
      expect(response.status).toBe(401)
      expect(await readJson(response)).toEqual({
        code: 'INVALID_EMAIL_OR_PASSWORD',
        message: 'Invalid email or password',
        error: { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password', details: [] },
      })
    })

    it('returns the error envelope for invalid input, unknown routes and missing sessions', async () => {
      const browser = createBrowser(app)
      const cases = [
        { response: await browser.post('/api/auth/sign-up/email', {}), status: 400, code: 'INVALID_REQUEST', count: 3 },
        { response: await browser.post('/api/auth/nowhere', {}), status: 404, code: 'NOT_FOUND', count: 0 },
        { response: await browser.post('/api/auth/access-token', {}), status: 401, code: 'UNAUTHORIZED', count: 0 },
      ]
      for (const { response, status, code, count } of cases) {
        expect(response.status).toBe(status)
        expect(await readJson(response)).toMatchObject({ error: { code, details: { length: count } } })
      }
    })

    it('returns 401 if a cookie or token has no valid signature', async () => {
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
        // A valid cookie does not make up for an invalid token.
        { cookie, authorization: 'Bearer bad' },
      ]
      for (const headers of forged) {
        const response = await app.fetch(new Request(`${ORIGIN}/api/me`, { headers }))
        expect({ headers, status: response.status }).toEqual({ headers, status: 401 })
      }
    })

    it('returns 403 if another origin sends the cookie, but accepts its token', async () => {
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

    it('passes the session to agents and returns 403 if another origin sends the cookie', async () => {
      const browser = await signedIn(app)
      const { token } = await getToken(browser)
      const cookie = browser.cookie()
      const call = (headers: Record<string, string>): Promise<Response> => {
        const all = { host: 'app.test', 'content-type': 'application/json', ...headers }
        return app.fetch(new Request(`${ORIGIN}/agent/whoami`, { method: 'POST', headers: all, body: '{}' }))
      }
      const via = async (headers: Record<string, string>): Promise<unknown> =>
        (await readJson(await call(headers)))['via']
      expect(await via({ cookie, origin: ORIGIN })).toBe('cookie')
      expect(await via({ authorization: `Bearer ${token}`, origin: 'http://evil.test' })).toBe('bearer')
      expect(await via({})).toBeNull()
      for (const origin of ['http://evil.test', 'null']) expect((await call({ cookie, origin })).status).toBe(403)
    })

    it('sets a __Host- cookie over https and accepts only trusted origins', async () => {
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
      expect(line).toMatch(/^__Host-sdk\.session_token=.*; Path=\/;.*; Secure/)
      expect(line).not.toMatch(/domain=/i)
      const cookie = line.slice(0, line.indexOf(';'))
      for (const path of ['/api/act', '/api/auth/access-token']) {
        expect((await post(path, { cookie, origin: 'https://app.test' })).status).toBe(200)
        expect((await post(path, { cookie, origin: 'https://admin.test' })).status).toBe(200)
        expect((await post(path, { cookie, origin: 'http://app.test' })).status).toBe(403)
      }
    })

    it.runIf(Date.now() < Date.UTC(2027, 0, 1))('accepts the cookie with the prefix __Secure- until 2027', async () => {
      const secure = createTestApp(createAuth({ database, secret: SECRET, baseURL: 'https://app.test' }))
      const post = (path: string, headers: Record<string, string>): Promise<Response> =>
        secure.fetch(
          new Request(`https://app.test${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', host: 'app.test', origin: 'https://app.test', ...headers },
            body: JSON.stringify(ADA),
          }),
        )
      await signedIn(app)
      const [line = ''] = (await post('/api/auth/sign-in/email', {})).headers.getSetCookie()
      const cookie = line.slice(0, line.indexOf(';')).replace('__Host-', '__Secure-')
      for (const path of ['/api/act', '/api/auth/access-token']) expect((await post(path, { cookie })).status).toBe(200)
    })

    it('allows requests without a session if the middleware is optional', async () => {
      expect(await readJson(await createBrowser(app).get('/open/me'))).toEqual({ via: null, user: null })
    })

    it('works with createAuthClient from sign-up to sign-out', async () => {
      const browser = createBrowser(app)
      const grace = { name: 'Grace', email: 'grace@example.com', password: 'correct horse' }
      const client = createAuthClient({ baseUrl: ORIGIN, fetch: browser.fetch })
      expect(await client.token()).toBeNull()
      expect(client.snapshot()).toEqual({ loading: false, user: null, token: null, error: null })

      await client.signUp(grace)
      expect(client.snapshot()).toMatchObject({ user: { name: 'Grace' }, error: null })
      const headers = { authorization: `Bearer ${await client.token()}` }
      expect(await readJson(await app.fetch(new Request(`${ORIGIN}/api/me`, { headers })))).toMatchObject({
        via: 'bearer',
        user: { name: 'Grace' },
      })

      await client.signOut()
      expect(client.snapshot()).toMatchObject({ user: null, token: null })
      expect((await app.fetch(new Request(`${ORIGIN}/api/me`, { headers }))).status).toBe(401)

      await expect(client.signIn({ ...grace, password: 'wrong password' })).rejects.toMatchObject({ status: 401 })
      expect(client.snapshot().error?.code).toBe('INVALID_EMAIL_OR_PASSWORD')
      await client.signIn(grace)
      expect(client.snapshot()).toMatchObject({ user: { email: grace.email }, error: null })
      client.close()
    })

    it('keeps sessions when it migrates again', async () => {
      const browser = await signedIn(app)
      await auth.migrate()
      await auth.migrate()
      expect((await browser.get('/api/me')).status).toBe(200)
    })
  })
}
