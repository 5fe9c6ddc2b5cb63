import { createHmac } from 'node:crypto'
import { type Database, openDatabase } from '@sdk/database'
import type { App } from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADA, createTestApp, ORIGIN, readJson, SECRET } from '../auth-app.test.fixture.ts'
import { createAuth } from '../index.ts'

const PAGE = 'https://page.test'
const FOREIGN = 'https://evil.test'

let database: Database
let app: Pick<App, 'fetch'>
let closed: Pick<App, 'fetch'>

beforeAll(async () => {
  database = openDatabase(await emptyDatabase())
  const options = { database, secret: SECRET, baseURL: ORIGIN, trustedOrigins: [PAGE], throttle: false } as const
  const auth = createAuth({ ...options, bearer: true })
  await auth.ready()
  app = createTestApp(auth)
  closed = createTestApp(createAuth(options))
  expect((await post('/api/auth/sign-up/email', { body: ADA })).status).toBe(200)
})
afterAll(() => database.close())

interface Sent {
  body?: object
  headers?: Record<string, string>
  to?: Pick<App, 'fetch'>
}

function post(path: string, { body = {}, headers = {}, to = app }: Sent): Promise<Response> {
  const all = { 'content-type': 'application/json', origin: PAGE, ...headers }
  return to.fetch(new Request(ORIGIN + path, { method: 'POST', headers: all, body: JSON.stringify(body) }))
}

const get = (path: string, headers: Record<string, string>): Promise<Response> =>
  app.fetch(new Request(ORIGIN + path, { headers: { origin: PAGE, ...headers } }))

const signIn = (headers: Record<string, string>, to = app): Promise<Response> =>
  post('/api/auth/sign-in/email', { body: ADA, headers, to })

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

async function sessionToken(): Promise<string> {
  return (await signIn({ 'x-sdk-token': '1' })).headers.get('x-sdk-token') ?? ''
}

describe('a page of another origin', () => {
  it('receives the session token if it requests one and the server allows it', async () => {
    for (const path of ['/api/auth/sign-in/email', '/api/auth/sign-up/email']) {
      const body = { ...ADA, email: path.includes('sign-up') ? 'grace@example.com' : ADA.email }
      const response = await post(path, { body, headers: { 'x-sdk-token': '1' } })
      expect(response.headers.get('x-sdk-token')).toMatch(/^\w{32}\.[\w+/]{43}=$/)
      expect(await response.text()).not.toContain(response.headers.get('x-sdk-token')?.split('.')[0])
    }
    expect((await signIn({})).headers.get('x-sdk-token')).toBeNull()
    expect((await signIn({ 'x-sdk-token': '1' }, closed)).headers.get('x-sdk-token')).toBeNull()
    const refused = await post('/api/auth/sign-in/email', { body: { ...ADA, password: 'wrong password' } })
    expect(refused.headers.get('x-sdk-token')).toBeNull()
  })

  it('receives no token for a session whose cookie it already has', async () => {
    const cookie = (await signIn({})).headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const headers = { cookie, origin: ORIGIN, 'x-sdk-token': '1' }
    const response = await post('/api/auth/update-user', { body: { name: ADA.name }, headers })
    expect(response.headers.getSetCookie()[0]).toContain(cookie)
    expect(response.headers.get('x-sdk-token')).toBeNull()
    expect((await signIn(headers)).headers.get('x-sdk-token')).not.toBeNull()
  })

  it('can use the session token to get an access token and to sign out', async () => {
    const token = await sessionToken()
    const session = await readJson(await get('/api/auth/get-session', bearer(token)))
    expect(session['user']).toMatchObject({ email: ADA.email })
    expect(JSON.stringify(session)).not.toContain(token.split('.')[0])
    const access = await readJson(await post('/api/auth/access-token', { headers: bearer(token) }))
    const asUser = bearer(String(access['token']))
    expect((await get('/api/me', asUser)).status).toBe(200)
    expect((await post('/api/auth/sign-out', { headers: bearer(token) })).status).toBe(200)
    expect((await post('/api/auth/access-token', { headers: bearer(token) })).status).toBe(401)
    expect((await get('/api/me', asUser)).status).toBe(401)
  })

  it('cannot use the session token on other routes', async () => {
    const headers = bearer(await sessionToken())
    expect((await get('/api/me', headers)).status).toBe(401)
    expect((await get('/api/auth/list-sessions', headers)).status).toBe(401)
    expect((await post('/api/auth/update-user', { body: { name: 'Eve' }, headers })).status).toBe(401)
    expect((await post('/api/auth/access-token', { headers, to: closed })).status).toBe(401)
  })

  it('receives 401 for any other Authorization header, even with a valid cookie', async () => {
    const cookie = (await signIn({})).headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const token = await sessionToken()
    const [raw = ''] = token.split('.')
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const none = `${encode({ alg: 'none', typ: 'JWT' })}.${encode({ sub: 'ada', sid: raw })}.`
    const forged = `${raw}.${createHmac('sha256', 'another key').update(raw).digest('base64')}`
    const wrong = [none, forged, raw, `${raw}.`, `.${raw}`, '.', `${token}x`, 'x'.repeat(8_000)].map(
      (one) => `Bearer ${one}`,
    )
    for (const authorization of [...wrong, 'Basic YWRhOmNvcnJlY3QgaG9yc2U=', 'Bearer', token])
      for (const headers of [{ authorization }, { authorization, cookie }] as Record<string, string>[]) {
        expect([authorization, (await post('/api/auth/access-token', { headers })).status]).toEqual([
          authorization,
          401,
        ])
        expect([authorization, (await get('/api/auth/get-session', headers)).status]).toEqual([authorization, 401])
      }
    expect((await post('/api/auth/access-token', { headers: { cookie } })).status).toBe(200)
  })

  it('receives CORS headers for its origin if it is trusted', async () => {
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-sdk-token' }
    const sendPreflight = (origin: string, path: string): Promise<Response> =>
      app.fetch(new Request(ORIGIN + path, { method: 'OPTIONS', headers: { origin, ...preflight } }))
    for (const path of ['/api/auth/sign-in/email', '/api/act']) {
      const allowed = await sendPreflight(PAGE, path)
      expect(allowed.headers.get('access-control-allow-origin')).toBe(PAGE)
      expect(allowed.headers.get('access-control-allow-credentials')).toBe('true')
      expect(allowed.headers.get('access-control-allow-headers')).toMatch(/X-Sdk-Token/)
      expect((await sendPreflight(FOREIGN, path)).headers.get('access-control-allow-origin')).toBeNull()
    }
    const response = await signIn({ 'x-sdk-token': '1' })
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE)
    expect(response.headers.get('access-control-expose-headers')).toMatch(/X-Sdk-Token/)
    const foreign = await signIn({ 'x-sdk-token': '1', origin: FOREIGN })
    expect(foreign.status).toBe(403)
    expect(foreign.headers.get('x-sdk-token')).toBeNull()
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
  })
})
