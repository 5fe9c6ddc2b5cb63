import { beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { send } from '../http/wire.ts'
import { ADA, ORIGIN } from './people.ts'
import { credentialsOf, type Session, startAuth } from './subject.ts'
import { oneWay } from './ways.ts'

const FRIEND = 'https://friend.test'
const FOREIGN = [
  'http://evil.test',
  'null',
  'https://app.test',
  'http://app.test:81',
  'http://app.test:80',
  'http://app.test.',
  'http://app.test.evil.test',
  'http://evil.test/app.test',
  'http://evil-app.test',
  'http://evilapp.test',
  'http://sub.app.test',
  'http://app.test@evil.test',
  'http://app.test/',
  'HTTP://APP.TEST',
  'http://app.tes',
  'http://xn--pp-6kc.test',
  'http://app.test http://evil.test',
  'http://app.test, http://evil.test',
  'https://friend.test.evil.test',
  'http://friend.test',
  'file://',
  'chrome-extension://app.test',
  '*',
  '',
]
const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE']
const AUTH_ROUTES = [
  '/sign-in/email',
  '/sign-up/email',
  '/sign-out',
  '/access-token',
  '/change-password',
  '/request-password-reset',
  '/reset-password',
  '/revoke-session',
  '/update-user',
]
const corsOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

describe.each(oneWay)('request origins on $way', (way) => {
  const subject = startAuth(way, { trustedOrigins: [FRIEND] })
  let ada: Session
  beforeAll(async () => {
    ada = await subject.signIn(ADA)
  })
  const body = { email: ADA.email, password: ADA.password, text: 'x' }

  /** Sends every request that a page could cause, with the user's cookie. */
  async function expectRejected(page: Record<string, string>): Promise<void> {
    const headers = { ...page, cookie: ada.cookie }
    const before = subject.reached
    for (const method of UNSAFE)
      expectFailure(await subject.call(`${method} /api/me`, { headers, body }), 403, 'FORBIDDEN')
    expectFailure(await subject.call('POST /api/v1/notes', { headers, body }), 403, 'FORBIDDEN')
    expectFailure(await subject.call('POST /agent/whoami', { headers, body }), 403, 'FORBIDDEN')
    expect(subject.reached).toBe(before)
    for (const route of AUTH_ROUTES)
      // A page could also sign a user in without a cookie.
      for (const sent of route.startsWith('/sign-') ? [headers, page] : [headers]) {
        const response = await subject.post(route, body, sent)
        expect([route, response.status]).toEqual([route, 403])
        expect(response.headers).not.toHaveProperty('set-cookie')
      }
    await expect(subject.connect(headers)).rejects.toThrow('403')
  }

  it.each(FOREIGN)('CSRF: %j is rejected with 403 for every unsafe method', (origin) => expectRejected({ origin }))

  it('CSRF: cross-site requests without Origin are rejected with 403', async () => {
    await expectRejected({ 'sec-fetch-site': 'cross-site' })
    for (const referer of [
      'http://evil.test/',
      'http://app.test.evil.test/',
      'http://evil.test/?http://app.test/',
      'about:blank',
    ])
      for (const route of AUTH_ROUTES)
        expect((await subject.post(route, body, { referer, cookie: ada.cookie })).status).toBe(403)
  })

  it('CSRF: requests with two Origin headers are rejected', async () => {
    const lines = ['Host: app.test', `Cookie: ${ada.cookie}`, 'Connection: close', 'Content-Length: 0']
    for (const origins of [
      ['http://app.test', 'http://evil.test'],
      ['http://evil.test', 'http://app.test'],
    ]) {
      const head = [...lines, ...origins.map((origin) => `Origin: ${origin}`)].join('\r\n')
      const before = subject.reached
      for (const path of ['/api/me', '/api/auth/sign-out', '/api/auth/access-token']) {
        const { status } = await send(subject.port, `POST ${path} HTTP/1.1\r\n${head}\r\n\r\n`)
        expect([400, 403]).toContain(status)
      }
      expect(subject.reached).toBe(before)
    }
  })

  it('CSRF: requests without Host are rejected with 403 for every origin', async () => {
    const lines = [`Cookie: ${ada.cookie}`, 'Content-Type: application/json', 'Content-Length: 2']
    for (const origin of ['http://localhost', 'http://missing-host.invalid:80', `http://127.0.0.1:${subject.port}`]) {
      const head = [...lines, `Origin: ${origin}`].join('\r\n')
      const before = subject.reached
      for (const path of ['/api/me', '/api/auth/sign-out', '/api/auth/access-token'])
        expectFailure(await send(subject.port, `POST ${path} HTTP/1.0\r\n${head}\r\n\r\n{}`), 403, 'FORBIDDEN')
      expect(subject.reached).toBe(before)
    }
  })

  it('CSRF: GET requests cannot override their method', async () => {
    const headers = { cookie: ada.cookie, origin: 'http://evil.test' }
    for (const override of ['x-http-method-override', 'x-http-method', 'x-method-override'])
      expect(
        (await subject.call('GET /api/auth/sign-out', { headers: { ...headers, [override]: 'POST' } })).status,
      ).toBeGreaterThan(400)
    for (const route of ['/sign-out', '/access-token', '/revoke-sessions', '/update-user'])
      for (const query of ['', '?_method=POST', '?name=Mallory'])
        expect((await subject.call(`GET /api/auth${route}${query}`, { headers })).status).toBeGreaterThan(400)
    expect((await subject.call('GET /api/me', { headers: { cookie: ada.cookie } })).status).toBe(200)
  })

  it('CSRF: form content types are rejected with 415', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'TEXT/plain;application/json',
    ])
      for (const route of ['/sign-in/email', '/sign-up/email', '/update-user']) {
        const response = await subject.post(route, JSON.stringify(body), { 'Content-Type': type, cookie: ada.cookie })
        expect([route, type, response.status]).toEqual([route, type, 415])
      }
  })

  it('are accepted from the app, from trusted origins and without Origin, and from anywhere with a token', async () => {
    for (const page of [
      { origin: ORIGIN },
      { origin: FRIEND },
      { origin: FRIEND, 'sec-fetch-site': 'cross-site' },
      {},
    ]) {
      expect((await subject.call('POST /api/me', { headers: { ...page, cookie: ada.cookie }, body })).status).toBe(200)
      expect((await subject.post('/access-token', {}, { ...page, cookie: ada.cookie })).status).toBe(200)
    }
    const [, bearer = {}] = credentialsOf(ada)
    for (const method of UNSAFE)
      expect(
        (await subject.call(`${method} /api/me`, { headers: { ...bearer, origin: 'http://evil.test' }, body })).status,
      ).toBe(200)
  })

  it('CORS: only trusted origins receive CORS headers, never *', async () => {
    const paths = [
      '/api/me',
      '/api/auth/get-session',
      '/api/auth/sign-in/email',
      '/api/v1/notes',
      '/agent/whoami',
      '/nowhere',
    ]
    for (const origin of FOREIGN)
      for (const path of paths) {
        const headers = { origin, cookie: ada.cookie }
        expect(corsOf((await subject.call(`GET ${path}`, { headers })).headers)).toEqual([])
        const preflight = {
          ...headers,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        }
        expect(corsOf((await subject.call(`OPTIONS ${path}`, { headers: preflight })).headers)).toEqual([])
      }
    for (const path of paths) {
      const { headers } = await subject.call(`GET ${path}`, { headers: { origin: FRIEND } })
      expect(headers['access-control-allow-origin']).toBe(FRIEND)
      expect(headers['access-control-allow-credentials']).toBe('true')
      expect(headers['vary']?.toLowerCase()).toContain('origin')
    }
  })
})
