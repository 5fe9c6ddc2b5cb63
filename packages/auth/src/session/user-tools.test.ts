import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ADA, createBrowser, createTestApp, ORIGIN, readJson, SECRET, signedIn } from '../auth-app.test.fixture.ts'
import { createAuth } from '../create-auth.ts'
import { createSessionMiddleware } from '../session-middleware.ts'
import { signAccessToken, verifyAccessToken } from './access-token.ts'
import type { UserTools } from '@sdk/server'

const auth = createAuth({
  connectionString: await emptyDatabase(),
  secret: SECRET,
  baseURL: ORIGIN,
  userFields: {
    nickname: { type: 'string', input: true, required: true, unique: true },
    plan: { type: 'string', default: 'free' },
    born: { type: 'date', input: true },
  },
})
const app = createTestApp(auth)
const tools = auth.development as UserTools

const USER_2 = { name: 'Two', email: 'two@other.example' }
const USER_3 = { name: 'Three', email: 'three@other.example' }

/** Sends a request with a token and returns the status and the body. */
async function fetchWith(path: string, token: string, method = 'GET'): Promise<[number, Record<string, unknown>]> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await app.fetch(new Request(ORIGIN + path, { method, headers }))
  return [response.status, await readJson(response)]
}

beforeAll(async () => {
  const response = await createBrowser(app).post('/api/auth/sign-up/email', { ...ADA, nickname: 'ada' })
  expect(response.status).toBe(200)
})
afterAll(async () => {
  await app.close()
  await auth.close()
})

describe('findUser', () => {
  it('returns a user by email address without secrets, or null', async () => {
    const user = await tools.findUser('Ada@Example.com')
    expect(Object.keys(user ?? {}).toSorted()).toEqual([
      'born',
      'createdAt',
      'email',
      'emailVerified',
      'id',
      'image',
      'name',
      'nickname',
      'plan',
      'updatedAt',
    ])
    expect(user).toMatchObject({ name: 'Ada', email: 'ada@example.com', createdAt: expect.any(String) })
    expect(await tools.findUser('bob@example.com')).toBeNull()
  })
})

describe('createUser', () => {
  it('creates a user without a password', async () => {
    expect(await tools.createUser({ name: 'Test One', email: 'One@Test.example' })).toMatchObject({
      name: 'Test One',
      email: 'one@test.example',
      emailVerified: true,
    })
    const signIn = await createBrowser(app).post('/api/auth/sign-in/email', {
      email: 'one@test.example',
      password: ADA.password,
    })
    expect(signIn.status).toBe(401)
  })

  it('generates values for required fields', async () => {
    const [first, second] = [await tools.createUser(USER_2), await tools.createUser(USER_3)]
    expect(first).toMatchObject({ nickname: expect.stringMatching(/^test \d+$/), plan: 'free', born: null })
    expect(second['nickname']).not.toBe(first['nickname'])
  })

  it('rejects an email address that is taken, ignoring letter case', async () => {
    await expect(tools.createUser({ name: 'A', email: 'ADA@example.com' })).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})

describe('listUsers', () => {
  it('returns the newest users first, up to the limit', async () => {
    await tools.createUser({ name: 'Zoë', email: 'last@test.example' })
    const names = (await tools.listUsers({ limit: 2 })).map(({ name }) => name)
    expect(names).toEqual(['Zoë', 'Three'])
  })

  it('searches names and email addresses, ignoring letter case', async () => {
    const found = async (search: string): Promise<string[]> =>
      (await tools.listUsers({ search, limit: 10 })).map(({ name }) => name)
    expect(await found('ADA@')).toEqual(['Ada'])
    expect(await found('zOË')).toEqual(['Zoë'])
    expect(await found('test')).toEqual(['Zoë', 'Test One'])
    expect(await found('%')).toEqual([])
  })
})

describe('openSession', () => {
  it('opens a session that the app accepts even without the bearer option', async () => {
    const user = await tools.createUser({ name: 'Bob', email: 'bob@test.example' })
    const opened = await tools.openSession(user.id)
    const token = opened?.token ?? ''
    expect(opened?.user).toEqual(user)
    expect(await fetchWith('/api/me', token)).toEqual([200, { via: 'bearer', user }])
    expect(await fetchWith('/agent/whoami', token, 'POST')).toEqual([200, { via: 'bearer', user }])
    const session = await auth.getSession({ get: (name) => (name === 'authorization' ? `Bearer ${token}` : null) })
    const id = session?.session.id ?? ''
    expect(await auth.getActiveSessions([id])).toEqual(new Map([[id, Date.parse(opened?.expiresAt ?? '')]]))
  })

  it('reuses the session of a user until it is revoked', async () => {
    const ada = await signedIn(app)
    const user = await tools.findUser(ADA.email)
    const first = await tools.openSession(user?.id ?? '')
    expect((await tools.openSession(user?.id ?? ''))?.token).toBe(first?.token)
    const revoked = await ada.post('/api/auth/revoke-other-sessions', {})
    expect(revoked.status).toBe(200)
    expect((await fetchWith('/api/me', first?.token ?? ''))[0]).toBe(401)
    const second = await tools.openSession(user?.id ?? '')
    expect((await fetchWith('/api/me', second?.token ?? ''))[0]).toBe(200)
  })

  it('returns null for an unknown user', async () => {
    expect(await tools.openSession('nobody')).toBeNull()
  })
})

describe('endSession', () => {
  it('ends the session, so that openSession opens another one', async () => {
    const user = await tools.findUser(ADA.email)
    const first = (await tools.openSession(user?.id ?? ''))?.token ?? ''
    expect((await fetchWith('/api/me', first))[0]).toBe(200)
    await tools.endSession(first)
    await tools.endSession(first)
    await tools.endSession('nonsense')
    expect((await fetchWith('/api/me', first))[0]).toBe(401)
    const second = (await tools.openSession(user?.id ?? ''))?.token ?? ''
    expect([second === first, (await fetchWith('/api/me', second))[0]]).toEqual([false, 200])
  })

  it('has the same effect as the sign-out route', async () => {
    const user = await tools.findUser(ADA.email)
    const token = (await tools.openSession(user?.id ?? ''))?.token ?? ''
    expect(await fetchWith('/api/auth/sign-out', token, 'POST')).toEqual([200, { success: true }])
    expect((await fetchWith('/api/me', token))[0]).toBe(401)
  })

  it('has the same effect as the sign-out route with an expired access token', async () => {
    const user = await tools.findUser(ADA.email)
    const token = (await tools.openSession(user?.id ?? ''))?.token ?? ''
    const { sessionId = '' } = verifyAccessToken(token, SECRET) ?? {}
    const old = signAccessToken({ sessionId, expiresAt: Date.now() - 1_000 }, SECRET)
    expect((await fetchWith('/api/me', old))[0]).toBe(401)
    expect(await fetchWith('/api/auth/sign-out', old, 'POST')).toEqual([200, { success: true }])
    expect((await fetchWith('/api/me', token))[0]).toBe(401)
  })
})

describe('auth.development', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is null in production', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    vi.stubEnv('DATABASE_URL', 'pglite://memory')
    const built = createAuth({ connectionString: 'pglite://memory', secret: SECRET, baseURL: 'https://app.test' })
    expect(built.development).toBeNull()
    expect(createSessionMiddleware(built).development).toBeNull()
    await built.close()
  })
})

describe('listRoutes', () => {
  it('returns the callable routes of Better Auth with their inputs', async () => {
    const routes = (await tools.listRoutes?.()) ?? []
    const find = (route: string): (typeof routes)[number] | undefined => routes.find((one) => one.route === route)
    expect(find('POST /api/auth/sign-in/email')).toMatchObject({
      description: expect.any(String),
      body: { properties: { email: {}, password: {} }, required: ['email', 'password'] },
    })
    expect(find('GET /api/auth/verify-email')?.query).toMatchObject({ properties: { token: {} } })
    expect(find('POST /api/auth/access-token')).toBeDefined()
    expect(find('POST /api/auth/verify-password')).toBeUndefined()
    expect(routes.every(({ route }) => /^(?:GET|POST) \/api\/auth\/[\w/:-]+$/.test(route))).toBe(true)
    expect(new Set(routes.map(({ route }) => route)).size).toBe(routes.length)
  })
})
