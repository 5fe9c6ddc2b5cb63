import { type Database, openDatabase } from '@sdk/database'
import { memoryEngine } from '@sdk/server'
import { twoFactor } from 'better-auth/plugins'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADA, createTestApp, ORIGIN, readJson, SECRET } from '../auth-app.test.fixture.ts'
import { type Auth, createAuth } from '../index.ts'

type Served = ReturnType<typeof createTestApp>

let database: Database
let auth: Auth
let open: Served

beforeAll(async () => {
  database = openDatabase(await emptyDatabase())
  auth = createAuth({ database, secret: SECRET, throttle: false, email: silent })
  await auth.ready()
  open = createTestApp(auth)
  expect((await post('/sign-up/email', ADA)).status).toBe(200)
})
afterAll(() => database.close())

function post(path: string, body: object, { to = open, ip = '192.0.2.1' } = {}): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    origin: ORIGIN,
    host: 'app.test',
    'x-forwarded-for': '203.0.113.5',
  }
  const request = new Request(`${ORIGIN}/api/auth${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return to.fetch(request, { ip })
}

/** Creates an app with unused limits. */
const guarded = (): Served => createTestApp(createAuth({ database, secret: SECRET, email: silent }))

const silent = { send: () => {} }

const wrong = { ...ADA, password: 'wrong password' }

describe('limits for attempts', () => {
  it('return 429 with Retry-After after ten failures from an IP address', async () => {
    const to = guarded()
    // Concurrently, since one attempt is restored every six seconds.
    const guesses = Array.from({ length: 12 }, (_, at) =>
      post('/sign-in/email', { ...wrong, email: `user${at}@example.com` }, { to }),
    )
    const responses = await Promise.all(guesses)
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array<number>(10).fill(401),
      429,
      429,
    ])
    const response = responses.find(({ status }) => status === 429) ?? new Response()
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const body = await readJson(response)
    expect(body).toMatchObject({ code: 'TOO_MANY_REQUESTS', error: { code: 'TOO_MANY_REQUESTS', details: [] } })
    expect((await post('/sign-in/email', ADA, { to, ip: '192.0.2.2' })).status).toBe(200)
  })

  it('return 429 after ten failures for an account, known or not, in any letter case', async () => {
    for (const email of [ADA.email, 'nobody@example.com']) {
      const to = guarded()
      const responses: unknown[] = []
      for (let at = 0; at < 12; at++) {
        const spelled = at % 2 === 0 ? email : email.toUpperCase()
        const response = await post('/sign-in/email', { ...wrong, email: spelled }, { to, ip: `192.0.2.${at}` })
        responses.push([response.status, (await readJson(response))['code']])
      }
      const [failure, refusal] = [
        [401, 'INVALID_EMAIL_OR_PASSWORD'],
        [429, 'TOO_MANY_REQUESTS'],
      ]
      expect(responses).toEqual([...Array<unknown>(10).fill(failure), refusal, refusal])
    }
  })

  it('allow only ten of 200 concurrent attempts', async () => {
    const to = guarded()
    const guesses = Array.from({ length: 200 }, (_, at) => post('/sign-in/email', wrong, { to, ip: `192.0.2.${at}` }))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(190)
  })

  it('do not lock out a user at an IP address that signed in before', async () => {
    const to = guarded()
    expect((await post('/sign-in/email', ADA, { to, ip: '198.51.100.1' })).status).toBe(200)
    for (let at = 0; at < 12; at++) await post('/sign-in/email', wrong, { to, ip: `192.0.2.${at}` })
    expect((await post('/sign-in/email', ADA, { to, ip: '198.51.100.2' })).status).toBe(429)
    expect((await post('/sign-in/email', ADA, { to, ip: '198.51.100.1' })).status).toBe(200)
  })

  it('do not lock out a user at an IP address that reset the password', async () => {
    const tokens: string[] = []
    const email = { send: ({ token }: { token: string }) => void tokens.push(token) }
    const own = openDatabase(await emptyDatabase())
    const to = createTestApp(createAuth({ database: own, secret: SECRET, email }))
    expect((await post('/sign-up/email', ADA, { to })).status).toBe(200)
    const guess = async (): Promise<void> => {
      for (let at = 0; at < 12; at++) await post('/sign-in/email', wrong, { to, ip: `192.0.2.${at}` })
    }
    await guess()
    const ip = '198.51.100.7'
    expect((await post('/sign-in/email', ADA, { to, ip })).status).toBe(429)
    expect((await post('/request-password-reset', { email: ADA.email, redirectTo: '/' }, { to, ip })).status).toBe(200)
    await expect.poll(() => tokens).toHaveLength(1)
    const wanted = { token: tokens[0], newPassword: 'a new password' }
    // An invalid token does not make an IP address known.
    expect((await post('/reset-password', { ...wanted, token: 'wrong' }, { to, ip: '198.51.100.8' })).status).toBe(400)
    expect((await post('/reset-password', wanted, { to, ip })).status).toBe(200)
    const ada = { ...ADA, password: 'a new password' }
    await guess()
    expect((await post('/sign-in/email', ada, { to, ip })).status).toBe(200)
    expect((await post('/sign-in/email', ada, { to, ip: '198.51.100.8' })).status).toBe(429)
    await own.close()
  })

  it('are shared by all apps with the same engine', async () => {
    const engine = memoryEngine()
    const apps = [0, 1, 2].map(() => createTestApp(createAuth({ database, secret: SECRET }), engine))
    const statuses: number[] = []
    for (let at = 0; at < 12; at++)
      statuses.push((await post('/sign-in/email', wrong, { to: apps[at % 3] ?? open, ip: `192.0.2.${at}` })).status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    await Promise.all(apps.map((app) => app.close()))
  })

  it('allow five sign-ups from an IP address', async () => {
    const to = guarded()
    const signUps = Array.from({ length: 6 }, (_, at) =>
      post('/sign-up/email', { ...ADA, email: `new${at}@example.com` }, { to }),
    )
    const statuses = (await Promise.all(signUps)).map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })

  it('count wrong current passwords by session, whatever email the body contains', async () => {
    const change = { currentPassword: 'wrong password', newPassword: 'another password' }
    const to = guarded()
    const signIn = await post('/sign-in/email', ADA, { to })
    const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const statuses: number[] = []
    for (let at = 0; at < 11; at++) {
      const headers = { 'content-type': 'application/json', origin: ORIGIN, host: 'app.test', cookie }
      const body = JSON.stringify({ ...change, email: `user${at}@example.com` })
      const request = new Request(`${ORIGIN}/api/auth/change-password`, { method: 'POST', headers, body })
      statuses.push((await to.fetch(request, { ip: `192.0.2.${at}` })).status)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(400), 429])
  })

  it('count second factors by user across repeated sign-ins', async () => {
    const plugins = [twoFactor({ skipVerificationOnEnable: true })]
    const own = openDatabase(await emptyDatabase())
    const to = createTestApp(createAuth({ database: own, secret: SECRET, plugins, email: silent }))
    const cookies = new Map<string, string>()
    const send = async (path: string, body: object, ip: string): Promise<Response> => {
      const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
      const headers = { 'content-type': 'application/json', origin: ORIGIN, host: 'app.test', cookie }
      const request = new Request(`${ORIGIN}/api/auth${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      const response = await to.fetch(request, { ip })
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';', 1)
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
      }
      return response
    }
    expect((await send('/sign-up/email', ADA, '192.0.2.1')).status).toBe(200)
    expect((await send('/two-factor/enable', { password: ADA.password }, '192.0.2.1')).status).toBe(200)
    const statuses: number[] = []
    for (let at = 0; at < 12; at++) {
      cookies.clear()
      expect((await send('/sign-in/email', ADA, `192.0.2.${at}`)).status).toBe(200)
      const guess = { code: '000000', email: `user${at}@example.com` }
      statuses.push((await send('/two-factor/verify-totp', guess, `192.0.2.${at}`)).status)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
    // With two cookies of the same name the user is ambiguous, so the code is not checked.
    cookies.set(' sdk.two_factor', 'x')
    const refused = await send('/two-factor/verify-totp', { code: '000000' }, '192.0.2.99')
    expect(await readJson(refused)).toMatchObject({ code: 'UNAUTHORIZED' })
    await own.close()
  })

  it('allow five emails to an account, with the same responses for unknown accounts', async () => {
    const responsesFor = async (email: string): Promise<unknown[]> => {
      const to = guarded()
      const responses: unknown[] = []
      for (let at = 0; at < 6; at++) {
        const response = await post('/request-password-reset', { email }, { to, ip: `192.0.2.${at}` })
        responses.push([response.status, (await readJson(response))['message']])
      }
      return responses
    }
    const known = await responsesFor(ADA.email)
    expect(known.map((response) => (response as [number])[0])).toEqual([200, 200, 200, 200, 200, 429])
    expect(await responsesFor('nobody@example.com')).toEqual(known)
  })
})
