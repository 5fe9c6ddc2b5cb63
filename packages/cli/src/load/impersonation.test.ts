import {
  createAgent,
  createApp,
  createLog,
  createRouter,
  serve,
  type Middleware,
  type RequestAuth,
  type SessionMiddleware,
  type User,
  type UserTools,
} from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { allowImpersonation, AS_HEADER, PASS_HEADER, findSessionProvider } from './impersonation.ts'

const who = createAgent('who', { handler: async (ctx) => (await ctx.auth?.getUser())?.id ?? null })
const log = createLog({ write: () => {} })

describe('allowImpersonation', () => {
  it('does not affect calls without a user', async () => {
    expect(await call(null, {})).toEqual([200, null])
  })

  it('creates a fake user if the project has no users', async () => {
    expect(await call(null, { [AS_HEADER]: 'ada@example.com', [PASS_HEADER]: 'secret' })).toEqual([200, 'ada'])
  })

  it.each([{}, { [PASS_HEADER]: 'Secret' }, { [PASS_HEADER]: 'secret2' }])('rejects headers %j', async (pass) => {
    expect(await call(null, { [AS_HEADER]: 'ada@example.com', ...pass })).toMatchObject([
      403,
      { error: { code: 'FORBIDDEN' } },
    ])
  })

  it('finds the user of the project by email, or responds with 404', async () => {
    const ada = { id: '7', name: 'Ada' } as unknown as User
    const session = users((email) => Promise.resolve(email === 'ada@example.com' ? ada : null))
    const pass = { [PASS_HEADER]: 'secret' }
    expect(await call(session, { [AS_HEADER]: 'ada@example.com', ...pass })).toEqual([200, '7'])
    expect(await call(session, { [AS_HEADER]: 'bob@example.com', ...pass })).toMatchObject([
      404,
      { error: { code: 'UNKNOWN_USER', message: 'user bob@example.com not found: sign up in the app first' } },
    ])
  })

  it('responds with 503 if the users cannot be read', async () => {
    const session = users(() => Promise.reject(new Error('the database is away')))
    expect(await call(session, { [AS_HEADER]: 'a@b.c', [PASS_HEADER]: 'secret' })).toMatchObject([
      503,
      { error: { code: 'SERVICE_UNAVAILABLE' } },
    ])
  })
})

/** Session middleware with users by email, which accepts its own tokens. */
function users(findUser: (email: string) => Promise<User | null>): SessionMiddleware {
  const pass: Middleware = (_, next) => next()
  const opened = new Map<string, RequestAuth>()
  const development: UserTools = {
    findUser,
    listUsers: () => Promise.resolve([]),
    createUser: () => Promise.reject(new Error('not used in this test')),
    openSession(userId) {
      const user = { id: userId } as User
      const session = { id: 's1', userId, expiresAt: '2100-01-01T00:00:00.000Z' }
      opened.set('Bearer t1', { getUser: () => Promise.resolve(user), session, via: 'bearer' })
      return Promise.resolve({ user, token: 't1', expiresAt: session.expiresAt })
    },
    endSession: () => Promise.reject(new Error('not used in this test')),
  }
  return Object.assign(pass, {
    authenticate: (headers: { get(name: string): string | null }) =>
      opened.get(headers.get('authorization') ?? '') ?? null,
    trusts: () => false,
    development,
  })
}

async function call(middleware: SessionMiddleware | null, headers: Record<string, string>): Promise<[number, unknown]> {
  const router = createRouter()
  if (middleware !== null) router.use('/api/*', middleware)
  const app = allowImpersonation(createApp({ agents: [who], router, log }), {
    pass: 'secret',
    session: findSessionProvider(router),
  })
  const server = await serve(app, { port: 0, signals: false })
  const response = await fetch(`${server.url}/agent/who`, { method: 'POST', headers })
  const result: [number, unknown] = [response.status, await response.json()]
  await server.close()
  return result
}
