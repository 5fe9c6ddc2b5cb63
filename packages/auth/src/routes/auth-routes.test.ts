import { request as send, type RequestOptions } from 'node:http'
import { type Database, openDatabase } from '@sdk/database'
import { createApp, createLog, createRouter, serve, type Server } from '@sdk/server'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { createAuthClient } from 'better-auth/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, createTestApp, readJson, SECRET } from '../auth-app.test.fixture.ts'
import type { AuthMail } from '../index.ts'
import { createAuth, createSessionMiddleware, mountAuthRoutes } from '../index.ts'

const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
const ORIGIN = 'http://app.test'
const asJson = { 'content-type': 'application/json' }

let database: Database
let server: Server
const mails: AuthMail[] = []

beforeAll(async () => {
  database = openDatabase('pglite://memory')
  const email = { send: (mail: AuthMail) => void mails.push(mail) }
  const auth = createAuth({ database, secret: SECRET, baseURL: ORIGIN, throttle: false, email })
  await auth.ready()
  const router = createRouter()
    .use('/api/*', createSessionMiddleware(auth))
    .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  server = await serve(createApp({ router, rateLimit: false, log: createLog({ write: () => {} }) }), { port: 0 })
  expect((await post('/api/auth/sign-up/email', ADA)).status).toBe(200)
}, 60_000)
afterAll(async () => {
  await server.close()
  await database.close()
})

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Record<string, unknown>
}

/** Sends bytes as they are: `fetch` would mend the path. */
function ask(options: RequestOptions, parts: readonly string[] = []): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = send({ host: '127.0.0.1', port: server.port, agent: false, ...options }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => {
        const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      })
    })
    request.on('error', reject)
    for (const part of parts) request.write(part)
    request.end()
  })
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return ask({ method: 'POST', path, headers: { ...asJson, ...headers } }, [text])
}

async function cookieOf(email = ADA.email): Promise<string> {
  const { headers } = await post('/api/auth/sign-in/email', { ...ADA, email })
  return String(headers['set-cookie']?.[0]).split(';')[0] ?? ''
}

describe('the path of an auth route', () => {
  it('has one spelling; the others are 404', async () => {
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

describe('the body of an auth route', () => {
  it('has at most 64 kB, however it is sent', async () => {
    const large = JSON.stringify({ ...ADA, name: 'x'.repeat(70_000) })
    const whole = await post('/api/auth/sign-up/email', large, { 'content-length': String(large.length) })
    const chunked = await ask(
      { method: 'POST', path: '/api/auth/sign-up/email', headers: { ...asJson, 'transfer-encoding': 'chunked' } },
      [large.slice(0, 40_000), large.slice(40_000)],
    )
    for (const { status, body } of [whole, chunked]) {
      expect(status).toBe(413)
      expect(body).toMatchObject({ code: 'CONTENT_TOO_LARGE', error: { code: 'CONTENT_TOO_LARGE', details: [] } })
    }
  })

  it('is an object of plain JSON, with texts where texts belong', async () => {
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
      const answer = await post('/api/auth/sign-in/email', body)
      expect([body, answer.status]).toEqual([body, 400])
      expect(answer.body).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
      expect(answer.headers['cache-control']).toBe('no-store')
    }
  })

  it('is JSON by its name as well', async () => {
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'xapplication/json', ''])
      expect((await post('/api/auth/sign-in/email', ADA, { 'content-type': type })).status).toBe(415)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const path of ['/api/auth/sign-in/email', '/api/auth/update-user'])
      expect((await post(path, 'email=ada%40example.com&password=x', form)).status).toBe(415)
  })

  it('gives nobody a role, an id or a verified address', async () => {
    const body = { ...ADA, email: 'mallory@example.com', role: 'admin', emailVerified: true, id: 'chosen' }
    const answer = await post('/api/auth/sign-up/email', body)
    const user = answer.body['user'] as Record<string, unknown>
    expect([answer.status, user['emailVerified'], user['role']]).toEqual([200, false, undefined])
    expect(user['id']).not.toBe('chosen')
  })
})

describe('a redirect', () => {
  it('never leads to a foreign place', async () => {
    const names = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL']
    const evil = ['https://evil.test', '//evil.test', '/\\evil.test', '/%5cevil.test', '\t//evil.test', '\n//evil.test']
    const more = ['javascript:alert(1)', `${ORIGIN}@evil.test`, `${ORIGIN}.evil.test`]
    for (const target of [...evil, ...more])
      for (const name of names) {
        const query = `?${name}=${encodeURIComponent(target)}`
        const statuses = [
          (await post('/api/auth/sign-in/email', { ...ADA, [name]: target })).status,
          (await post(`/api/auth/sign-in/email${query}`, ADA)).status,
          (await ask({ path: `/api/auth/verify-email${query}&token=x` })).status,
          (await ask({ path: `/api/auth/reset-password/x${query}` })).status,
        ]
        expect([name, target, ...statuses]).toEqual([name, target, 403, 403, 403, 403])
      }
    expect((await post('/api/auth/sign-in/email', { ...ADA, callbackURL: '/home' })).status).toBe(200)
    expect((await post('/api/auth/sign-in/email', { ...ADA, callbackURL: `${ORIGIN}/home` })).status).toBe(200)
  })
})

describe('a foreign page', () => {
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

  it('may do nothing, with the cookie or without', async () => {
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

  it('is given no permission to read', async () => {
    for (const headers of foreign.filter((one) => 'origin' in one)) {
      const preflight = { ...headers, 'access-control-request-method': 'POST' }
      for (const answer of [
        await ask({ method: 'OPTIONS', path: '/api/auth/sign-in/email', headers: preflight }),
        await ask({ path: '/api/auth/get-session', headers }),
      ])
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})

describe('the sessions of a user', () => {
  it('are listed and ended by id, without a token anywhere', async () => {
    const email = 'lin@example.com'
    const signUp = await post('/api/auth/sign-up/email', { ...ADA, email })
    const [first, second] = [await cookieOf(email), await cookieOf(email)]
    const signIn = await post('/api/auth/sign-in/email', { ...ADA, email })
    const session = await ask({ path: '/api/auth/get-session', headers: { cookie: first } })
    const listed = await ask({ path: '/api/auth/list-sessions', headers: { cookie: first } })
    for (const { body } of [signUp, signIn, session, listed]) expect(JSON.stringify(body)).not.toMatch(/"token"/)
    const token = decodeURIComponent(first.split('=')[1] ?? '').split('.')[0] ?? ''
    expect(token).toMatch(/^\w{32}$/)
    expect(JSON.stringify([session.body, listed.body])).not.toContain(token)
    expect((signIn.body['user'] as { email: string }).email).toBe(email)

    const own = (session.body['session'] as { id: string }).id
    const ids = (listed.body as unknown as { id: string }[]).map(({ id }) => id)
    expect(ids).toHaveLength(4)
    expect(ids).toContain(own)
    const other = await ask({ path: '/api/auth/get-session', headers: { cookie: second } })
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

describe("the library's own client", () => {
  it('signs up, in and out on these routes', async () => {
    const browser = createBrowser(createTestApp(createAuth({ database, secret: SECRET, throttle: false })))
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

describe('what proxies say', () => {
  const spoofed = {
    'x-forwarded-for': '203.0.113.9',
    'x-real-ip': '203.0.113.9',
    'x-sdk-address': '203.0.113.9',
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'https',
    forwarded: 'for=203.0.113.9;host=evil.test',
    host: 'evil.test',
  }

  it('is believed of nobody: neither in sessions nor in mails', async () => {
    const email = 'spoofed@example.com'
    const { headers } = await post('/api/auth/sign-up/email', { ...ADA, email }, spoofed)
    const cookie = String(headers['set-cookie']?.[0]).split(';')[0] ?? ''
    const { body } = await ask({ path: '/api/auth/get-session', headers: { cookie } })
    expect(body['session']).toMatchObject({ ipAddress: '127.0.0.1' })
    expect((await post('/api/auth/request-password-reset', { email }, spoofed)).status).toBe(200)
    await expect.poll(() => mails.find(({ to, kind }) => to === email && kind === 'reset-password')?.url).toBeDefined()
    for (const { url } of mails.filter(({ to }) => to === email)) expect(url).toMatch(/^http:\/\/app\.test\//)
  })

  it('is believed of the proxies that createAuth trusts', async () => {
    const auth = createAuth({ database, secret: SECRET, throttle: false, trustedProxies: ['127.0.0.1'] })
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

describe('a failure', () => {
  it('shows nothing of what failed', async () => {
    const secretly = 'select "password" from "account" where secret = hunter2'
    const fail = (path: string, error: Error): object =>
      createAuthEndpoint(path, { method: 'GET' }, () => Promise.reject(error))
    const endpoints = {
      crash: fail('/crash', new Error(secretly)),
      blame: fail('/blame', new APIError('INTERNAL_SERVER_ERROR', { message: secretly, query: secretly })),
      busy: fail('/busy', new APIError('TOO_MANY_REQUESTS', { message: 'not so fast' })),
    }
    const app = createTestApp(
      createAuth({ database, secret: SECRET, plugins: [{ id: 'failing', endpoints } as never] }),
    )
    const get = (path: string): Promise<Response> => app.fetch(new Request(`${ORIGIN}/api/auth${path}`))
    for (const path of ['/crash', '/blame']) {
      const answer = await get(path)
      const text = await answer.text()
      expect([path, answer.status]).toEqual([path, 500])
      expect(text).toContain('"code":"INTERNAL_SERVER_ERROR"')
      expect(text).not.toMatch(/select|hunter2|at \w+ \(/)
    }
    const busy = await get('/busy')
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await readJson(busy)).toMatchObject({ message: 'not so fast', error: { code: 'TOO_MANY_REQUESTS' } })
  })
})
