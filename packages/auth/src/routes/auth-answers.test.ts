import { APIError, createAuthEndpoint } from 'better-auth/api'
import { createAuthClient } from 'better-auth/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADA, createBrowser, createTestApp, ORIGIN, readJson, SECRET } from '../auth-app.test.fixture.ts'
import { createAuth } from '../index.ts'
import { type AuthServer, cookieIn, openAuthServer } from './auth-server.test.fixture.ts'

let server: AuthServer
let call: AuthServer['call']
let post: AuthServer['post']
let cookieOf: AuthServer['cookieOf']

beforeAll(async () => {
  server = await openAuthServer()
  ;({ call, post, cookieOf } = server)
})
afterAll(() => server.close())

describe('sessions of a user', () => {
  it('are listed and revoked by id without exposing tokens', async () => {
    const email = 'lin@example.com'
    const signUp = await post('/api/auth/sign-up/email', { ...ADA, email })
    const [first, second] = [await cookieOf(email), await cookieOf(email)]
    const signIn = await post('/api/auth/sign-in/email', { ...ADA, email })
    const session = await call({ path: '/api/auth/get-session', headers: { cookie: first } })
    const listed = await call({ path: '/api/auth/list-sessions', headers: { cookie: first } })
    for (const { body } of [signUp, signIn, session, listed]) expect(JSON.stringify(body)).not.toMatch(/"token"/)
    const token = decodeURIComponent(first.split('=')[1] ?? '').split('.')[0] ?? ''
    expect(token).toMatch(/^\w{32}$/)
    expect(JSON.stringify([session.body, listed.body])).not.toContain(token)
    expect((signIn.body['user'] as { email: string }).email).toBe(email)

    const own = (session.body['session'] as { id: string }).id
    const ids = (listed.body as unknown as { id: string }[]).map(({ id }) => id)
    expect(ids).toHaveLength(4)
    expect(ids).toContain(own)
    const other = await call({ path: '/api/auth/get-session', headers: { cookie: second } })
    const { id } = other.body['session'] as { id: string }

    const stranger = await cookieOf()
    expect((await post('/api/auth/revoke-session', { id }, { cookie: stranger })).status).toBe(404)
    expect((await post('/api/auth/revoke-session', { token }, { cookie: first })).status).toBe(400)
    expect((await post('/api/auth/revoke-session', { id })).status).toBe(401)
    expect((await post('/api/auth/access-token', {}, { cookie: second })).status).toBe(200)
    expect((await post('/api/auth/revoke-session', { id }, { cookie: first })).status).toBe(200)
    expect((await post('/api/auth/access-token', {}, { cookie: second })).status).toBe(401)
    expect((await post('/api/auth/access-token', {}, { cookie: first })).status).toBe(200)
  })
})

describe('a user with more than 100 sessions', () => {
  it('gets the newest 100 and can revoke any of them', async () => {
    const email = 'often@example.com'
    const cookie = cookieIn(await post('/api/auth/sign-up/email', { ...ADA, email }))
    await server.database.query(
      `insert into session (id, token, "userId", "expiresAt", "createdAt", "updatedAt")
       select 'old ' || n, 'old ' || n, u.id, now() + interval '1 day', now() - interval '1 day', now()
       from generate_series(1, 120) n, "user" u where u.email = $1`,
      [email],
    )
    const list = async (): Promise<string[]> => {
      const { body } = await call({ path: '/api/auth/list-sessions', headers: { cookie } })
      return (body as unknown as { id: string }[]).map(({ id }) => id)
    }
    const ids = await list()
    expect([ids.length, ids[0]?.startsWith('old')]).toEqual([100, false])
    for (let n = 1; n <= 120; n += 17)
      expect((await post('/api/auth/revoke-session', { id: `old ${n}` }, { cookie })).status).toBe(200)
  })
})

describe('an error of an auth route', () => {
  const errorOf = async (path: string, body: unknown, headers = {}) => {
    const { body: given } = await post(path, body, headers)
    return given['error'] as { code: string; message: string; details: Record<string, unknown>[] }
  }

  it('lists every invalid field, with the same messages as other routes', async () => {
    const { code, message, details } = await errorOf('/api/auth/sign-up/email', { email: 'nope', password: '' })
    expect(code).toBe('INVALID_REQUEST')
    expect(message).toBe('name is required (and 2 more)')
    expect(details).toEqual([
      { code: 'REQUIRED', message: 'is required', source: 'body', pointer: '/name' },
      { code: 'INVALID_FORMAT', message: 'must be an email address', source: 'body', pointer: '/email' },
      { code: 'TOO_SHORT', message: 'must have at least 1 character', source: 'body', pointer: '/password', min: 1 },
    ])
  })

  it.each([
    [
      'a short password',
      { password: 'short' },
      'PASSWORD_TOO_SHORT',
      { code: 'TOO_SHORT', pointer: '/password', min: 8 },
    ],
    [
      'a long password',
      { password: 'x'.repeat(129) },
      'PASSWORD_TOO_LONG',
      { code: 'TOO_LONG', pointer: '/password', max: 128 },
    ],
    [
      'an email address that is taken',
      {},
      'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
      { code: 'NOT_UNIQUE', pointer: '/email' },
    ],
  ])('names the field of %s', async (_, change, code, detail) => {
    const refused = await errorOf('/api/auth/sign-up/email', { ...ADA, ...change })
    expect(refused).toMatchObject({ code, details: [{ source: 'body', ...detail }] })
  })

  it('names newPassword for a password change, and no field for wrong credentials', async () => {
    const change = { currentPassword: ADA.password, newPassword: 'short' }
    expect(await errorOf('/api/auth/change-password', change, { cookie: await cookieOf() })).toMatchObject({
      code: 'PASSWORD_TOO_SHORT',
      details: [{ code: 'TOO_SHORT', pointer: '/newPassword', min: 8 }],
    })
    expect(await errorOf('/api/auth/sign-in/email', { ...ADA, password: 'another one' })).toMatchObject({
      code: 'INVALID_EMAIL_OR_PASSWORD',
      details: [],
    })
  })
})

describe('the cookie of an ended session', () => {
  it('is not cleared by get-session or access-token, since the browser may have a new one', async () => {
    const cookie = await cookieOf()
    const signOut = await post('/api/auth/sign-out', {}, { cookie })
    expect(String(signOut.headers['set-cookie'])).toMatch(/^sdk\.session_token=;.*max-age=0/i)
    const lookup = await call({ path: '/api/auth/get-session', headers: { cookie } })
    expect(lookup).toMatchObject({ status: 200, body: null })
    const refused = await post('/api/auth/access-token', {}, { cookie })
    expect(refused.status).toBe(401)
    for (const { headers } of [lookup, refused]) expect(headers['set-cookie']).toBeUndefined()
  })
})

describe('HEAD', () => {
  it('returns the status and content type of GET without a body', async () => {
    const cookie = await cookieOf()
    for (const path of ['/api/auth/get-session', '/api/auth/list-sessions', '/api/auth/nowhere']) {
      const [get, head] = [
        await call({ path, headers: { cookie } }),
        await call({ path, method: 'HEAD', headers: { cookie } }),
      ]
      expect([head.status, head.headers['content-type'], head.body]).toEqual([
        get.status,
        get.headers['content-type'],
        {},
      ])
    }
    expect((await call({ path: '/api/auth/list-sessions', method: 'HEAD' })).status).toBe(401)
  })

  it('returns 405 for links that can be used only once', async () => {
    for (const path of ['/api/auth/verify-email?token=x', '/api/auth/callback/github?code=x']) {
      const { status, headers } = await call({ path, method: 'HEAD' })
      expect([status, headers['allow']]).toEqual([405, 'GET'])
    }
  })
})

describe('the client of Better Auth', () => {
  it('signs up, in and out', async () => {
    const browser = createBrowser(
      createTestApp(createAuth({ database: server.database, secret: SECRET, throttle: false })),
    )
    const client = createAuthClient({ baseURL: ORIGIN, fetchOptions: { customFetchImpl: browser.fetch } })
    const kim = { name: 'Kim', email: 'kim@example.com', password: 'correct horse' }
    expect((await client.signUp.email(kim)).data?.user.email).toBe(kim.email)
    expect((await client.getSession()).data?.user.name).toBe('Kim')
    expect((await client.signOut()).data?.success).toBe(true)
    expect((await client.getSession()).data).toBeNull()
    const { error } = await client.signIn.email({ ...kim, password: 'wrong password' })
    expect(error).toMatchObject({
      status: 401,
      code: 'INVALID_EMAIL_OR_PASSWORD',
      message: 'Invalid email or password',
    })
    expect((await client.signIn.email(kim)).data?.user.name).toBe('Kim')
  })
})

describe('proxy headers', () => {
  const spoofed = {
    'x-forwarded-for': '203.0.113.9',
    'x-real-ip': '203.0.113.9',
    'x-sdk-address': '203.0.113.9',
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'https',
    forwarded: 'for=203.0.113.9;host=evil.test',
    host: 'evil.test',
  }

  it('are ignored in sessions and emails by default', async () => {
    const email = 'spoofed@example.com'
    const cookie = cookieIn(await post('/api/auth/sign-up/email', { ...ADA, email }, spoofed))
    const { body } = await call({ path: '/api/auth/get-session', headers: { cookie } })
    expect(body['session']).toMatchObject({ ipAddress: '127.0.0.1' })
    expect((await post('/api/auth/request-password-reset', { email }, spoofed)).status).toBe(200)
    await expect
      .poll(() => server.mails.find(({ to, kind }) => to === email && kind === 'reset-password')?.url)
      .toBeDefined()
    for (const { url } of server.mails.filter(({ to }) => to === email)) expect(url).toMatch(/^http:\/\/app\.test\//)
  })

  it('are used if createAuth trusts the proxy', async () => {
    const auth = createAuth({
      database: server.database,
      secret: SECRET,
      throttle: false,
      trustedProxies: ['127.0.0.1'],
    })
    const app = createTestApp(auth)
    const browser = createBrowser({
      fetch: (request) => {
        request.headers.set('x-forwarded-for', '198.51.100.1, 203.0.113.9')
        return app.fetch(request)
      },
    })
    await browser.post('/api/auth/sign-in/email', ADA)
    const { session } = await readJson(await browser.get('/api/auth/get-session'))
    expect(session).toMatchObject({ ipAddress: '203.0.113.9' })
  })
})

describe('an internal error of an auth route', () => {
  it('does not expose its message', async () => {
    const secretly = 'select "password" from "account" where secret = hunter2'
    const fail = (path: string, error: Error): object =>
      createAuthEndpoint(path, { method: 'GET' }, () => Promise.reject(error))
    const endpoints = {
      crash: fail('/crash', new Error(secretly)),
      blame: fail('/blame', new APIError('INTERNAL_SERVER_ERROR', { message: secretly, query: secretly })),
      busy: fail('/busy', new APIError('TOO_MANY_REQUESTS', { message: 'not so fast' })),
    }
    const app = createTestApp(
      createAuth({ database: server.database, secret: SECRET, plugins: [{ id: 'failing', endpoints } as never] }),
    )
    const get = (path: string): Promise<Response> => app.fetch(new Request(`${ORIGIN}/api/auth${path}`))
    for (const path of ['/crash', '/blame']) {
      const response = await get(path)
      const text = await response.text()
      expect([path, response.status]).toEqual([path, 500])
      expect(text).toContain('"code":"INTERNAL_SERVER_ERROR"')
      expect(text).not.toMatch(/select|hunter2|at \w+ \(/)
    }
    const busy = await get('/busy')
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await readJson(busy)).toMatchObject({ message: 'not so fast', error: { code: 'TOO_MANY_REQUESTS' } })
  })
})
