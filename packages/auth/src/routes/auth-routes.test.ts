import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADA, ORIGIN } from '../auth-app.test.fixture.ts'
import { type AuthServer, openAuthServer } from './auth-server.test.fixture.ts'

const asJson = { 'content-type': 'application/json' }

let server: AuthServer
let call: AuthServer['call']
let post: AuthServer['post']
let cookieOf: AuthServer['cookieOf']

beforeAll(async () => {
  server = await openAuthServer()
  ;({ call, post, cookieOf } = server)
})
afterAll(() => server.close())

describe('the path of an auth route', () => {
  it('has one spelling, and others return 404', async () => {
    const aliases = [
      '/api/auth//sign-in/email',
      '//api/auth/sign-in/email',
      '/api/auth/sign-in/email/',
      '/api/auth/x/../sign-in/email',
      '/api/auth/%2e%2e/auth/sign-in/email',
      '/api/auth/x/%2e%2e/sign-in/email',
      '/api/auth/%73ign-in/email',
      '/api/auth/sign-in%2femail',
      '/api/auth/SIGN-IN/email',
      '/API/auth/sign-in/email',
    ]
    for (const path of aliases) expect([path, (await post(path, ADA)).status]).toEqual([path, 404])
    expect((await post('/api/auth/sign-in/email', ADA)).status).toBe(200)
  })
})

describe('the response of an auth route', () => {
  it('is not stored for an Idempotency-Key, so a repeated key signs out again', async () => {
    const key = { 'idempotency-key': 'the same again' }
    for (let n = 0; n < 2; n++) {
      const cookie = await cookieOf()
      const response = await post('/api/auth/sign-out', {}, { ...key, cookie })
      expect([response.status, response.headers['idempotent-replayed']]).toEqual([200, undefined])
      expect((await post('/api/auth/access-token', {}, { cookie })).status).toBe(401)
    }
  })
})

describe('the body of an auth route', () => {
  it('is limited to 64 KiB, with Content-Length or chunked', async () => {
    const large = JSON.stringify({ ...ADA, name: 'x'.repeat(70_000) })
    const whole = await post('/api/auth/sign-up/email', large, { 'content-length': String(large.length) })
    const chunked = await call(
      { method: 'POST', path: '/api/auth/sign-up/email', headers: { ...asJson, 'transfer-encoding': 'chunked' } },
      [large.slice(0, 40_000), large.slice(40_000)],
    )
    for (const { status, body } of [whole, chunked]) {
      expect(status).toBe(413)
      expect(body).toMatchObject({ code: 'CONTENT_TOO_LARGE', error: { code: 'CONTENT_TOO_LARGE', details: [] } })
    }
  })

  it('must be a JSON object with strings for email and password', async () => {
    const { email, password } = ADA
    const wrong = [
      '{"email":',
      '[]',
      '"ada"',
      `{"email":"${email}","password":"${password}","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      `{"email":"${email}","password":"${password}","__proto__":{"role":"admin"}}`,
      `{"email":"${email}\\u0000","password":"${password}"}`,
      `{"email":"${email}","email":"${email}","password":"${password}"}`,
      { email: [email], password },
      { email, password: [password] },
      { email: { length: 3 }, password },
      { email, password: null },
      { email, password: 7 },
      { password },
    ]
    for (const body of wrong) {
      const response = await post('/api/auth/sign-in/email', body)
      expect([body, response.status]).toEqual([body, 400])
      expect(response.body).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
      expect(response.headers['cache-control']).toBe('no-store')
    }
  })

  it('must have a JSON content type', async () => {
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'xapplication/json', ''])
      expect((await post('/api/auth/sign-in/email', ADA, { 'content-type': type })).status).toBe(415)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const path of ['/api/auth/sign-in/email', '/api/auth/update-user'])
      expect((await post(path, 'email=ada%40example.com&password=x', form)).status).toBe(415)
  })

  it('cannot set a role, an id or a verified address', async () => {
    const body = { ...ADA, email: 'mallory@example.com', role: 'admin', emailVerified: true, id: 'chosen' }
    const response = await post('/api/auth/sign-up/email', body)
    const user = response.body['user'] as Record<string, unknown>
    expect([response.status, user['emailVerified'], user['role']]).toEqual([200, false, undefined])
    expect(user['id']).not.toBe('chosen')
  })
})

describe('a redirect', () => {
  it('returns 403 if the target is another origin', async () => {
    const names = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL']
    const evil = ['https://evil.test', '//evil.test', '/\\evil.test', '/%5cevil.test', '\t//evil.test', '\n//evil.test']
    const more = ['javascript:alert(1)', `${ORIGIN}@evil.test`, `${ORIGIN}.evil.test`]
    for (const target of [...evil, ...more])
      for (const name of names) {
        const query = `?${name}=${encodeURIComponent(target)}`
        const statuses = [
          (await post('/api/auth/sign-in/email', { ...ADA, [name]: target })).status,
          (await post(`/api/auth/sign-in/email${query}`, ADA)).status,
          (await call({ path: `/api/auth/verify-email${query}&token=x` })).status,
          (await call({ path: `/api/auth/reset-password/x${query}` })).status,
        ]
        expect([name, target, ...statuses]).toEqual([name, target, 403, 403, 403, 403])
      }
    expect((await post('/api/auth/sign-in/email', { ...ADA, callbackURL: '/home' })).status).toBe(200)
    expect((await post('/api/auth/sign-in/email', { ...ADA, callbackURL: `${ORIGIN}/home` })).status).toBe(200)
  })
})

describe('a page of another origin', () => {
  const foreign = [
    { origin: 'http://evil.test' },
    { origin: 'null' },
    { origin: 'http://app.test.evil.test' },
    { origin: 'http://app.test:81' },
    { origin: 'https://app.test' },
    { origin: 'http://app.test/' },
    { origin: 'http://app.test@evil.test' },
    { 'sec-fetch-site': 'cross-site' },
    { referer: 'http://evil.test/app.test' },
  ] as Record<string, string>[]

  it('receives 403 with and without the cookie', async () => {
    const cookie = await cookieOf()
    for (const headers of foreign)
      for (const path of ['/sign-in/email', '/sign-up/email', '/sign-out', '/access-token', '/revoke-session'])
        for (const more of [{}, { cookie }]) {
          const { status, body } = await post(`/api/auth${path}`, ADA, { ...headers, ...more })
          expect([headers, path, status]).toEqual([headers, path, 403])
          expect(['FORBIDDEN', 'INVALID_ORIGIN']).toContain((body['error'] as { code: string }).code)
        }
    expect((await post('/api/auth/access-token', {}, { cookie, origin: ORIGIN })).status).toBe(200)
    expect((await post('/api/auth/access-token', {}, { cookie })).status).toBe(200)
  })

  it('can post the callback of an OAuth provider as a form without a cookie', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://appleid.apple.com' }
    const back = await post('/api/auth/callback/apple', 'state=x&code=y', headers)
    expect(back.status).toBe(302)
    expect(back.headers['location']).toMatch(/^http:\/\/app\.test\//)
    const cookie = await cookieOf()
    expect((await post('/api/auth/callback/apple', 'state=x&code=y', { ...headers, cookie })).status).toBe(403)
  })

  it('receives no CORS headers', async () => {
    for (const headers of foreign.filter((one) => 'origin' in one)) {
      const preflight = { ...headers, 'access-control-request-method': 'POST' }
      for (const response of [
        await call({ method: 'OPTIONS', path: '/api/auth/sign-in/email', headers: preflight }),
        await call({ path: '/api/auth/get-session', headers }),
      ])
        expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})
