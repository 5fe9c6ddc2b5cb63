import { createAuth, createSessionMiddleware, mountAuthRoutes, type Auth } from '@sdk/auth'
import { createAgent, createApp, createLog, createRouter, type App } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { expect, it } from 'vitest'
import { ADA, ORIGIN, SECRET } from '../auth/people.ts'
import { openDrizzle } from '../auth/ways.ts'
import type { Apps, Section } from './section.ts'

const log = createLog({ write: () => {} })

/** Section 2.6. */
export const section2_6: Section = {
  number: '2.6',
  title: 'authentication on the server',
  tests(apps) {
    testCreateAuth(apps)
    testParts(apps)
    testAgents()
  },
}

function testCreateAuth(apps: Apps): void {
  it('2.6 createAuth takes a connectionString, and keeps its users there', async () => {
    const { body } = await apps.guarded.call('POST /api/auth/sign-in/email', ADA)
    expect(body).toMatchObject({ user: { name: 'Ada' } })
  })

  it('2.6 createAuth takes an adapter of Drizzle with the provider pg instead', async () => {
    const { source, query, close } = await openDrizzle('pglite://memory', true)
    const auth = createAuth({ ...source, secret: SECRET, baseURL: ORIGIN })
    const answer = await appOf(auth).fetch(signUpAt('/api/auth'))
    expect(answer.status).toBe(200)
    expect(await query('select name from "user"')).toEqual([{ name: 'Ada' }])
    await auth.close()
    await close()
  })

  it('2.6 createAuth has its routes at /api/auth, or at another basePath', async () => {
    expect(apps.guarded.auth.basePath).toBe('/api/auth')
    const session = await apps.guarded.call('GET /api/auth/get-session')
    expect([session.status, session.body]).toEqual([200, null])
    const auth = createAuth({ ...AWAY, basePath: '/api/people' })
    expect(auth.basePath).toBe('/api/people')
    await auth.close()
  })

  it('2.6 createAuth needs one of the two, and says so at once', () => {
    expect(() => createAuth({ secret: SECRET })).toThrow('needs a connectionString or a database')
    expect(() => createAuth({ secret: SECRET, connectionString: '' })).toThrow(TypeError)
  })
}

function testParts(apps: Apps): void {
  it('2.6 mountAuthRoutes gives the handler of a route', async () => {
    const router = createRouter().on('GET|POST /api/auth/*', mountAuthRoutes(apps.guarded.auth))
    const app = createApp({ router, log })
    expect((await app.fetch(new Request(`${apps.guarded.url}/api/auth/get-session`))).status).toBe(200)
  })

  it('2.6 createSessionMiddleware gives a middleware, which finds the session of a request', async () => {
    const router = createRouter()
      .use('/open/*', createSessionMiddleware(apps.guarded.auth, { optional: true }))
      .on('GET /open/me', async (ctx) => ({ name: (await ctx.auth?.getUser())?.name ?? null }))
    const app = createApp({ router, log })
    const ask = async (headers: Record<string, string>): Promise<unknown> =>
      (await app.fetch(new Request(`${apps.guarded.url}/open/me`, { headers }))).json()
    expect(await ask({})).toEqual({ name: null })
    expect(await ask({ cookie: await apps.guarded.signIn() })).toEqual({ name: 'Ada' })
    await app.close()
  })

  it('2.6 ctx.auth is null for nobody, else it has getUser, which gives a user with a name', async () => {
    expect((await apps.guarded.call('POST /agent/whoami', {})).body).toMatchObject({ error: 'sign in first' })
    const cookie = await apps.guarded.signIn()
    const { body } = await apps.guarded.call('POST /agent/whoami', {}, { cookie })
    expect(body).toMatchObject({ name: 'Ada' })
  })

  it('2.6 users have these fields beside their name', async () => {
    const session = await apps.guarded.auth.getSession(new Headers({ cookie: await apps.guarded.signIn() }))
    expect(await session?.getUser()).toEqual({
      id: expect.any(String),
      name: 'Ada',
      email: ADA.email,
      emailVerified: false,
      image: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
  })
}

function testAgents(): void {
  it('2.6 createAgent takes a name and a handler, which gets context and input and gives the payload', async () => {
    const greet = createAgent('greet', { handler: async (ctx, input) => ({ route: ctx.route, input }) })
    const app = await testApp(createApp({ agents: [greet], log }))
    expect(await app.agent('greet').call({ name: 'Ada' })).toEqual({
      route: 'POST /agent/greet',
      input: { name: 'Ada' },
    })
    await app.close()
  })
}

/** Nobody listens there. */
const AWAY = { connectionString: 'postgres://nobody@127.0.0.1:1/nothing', secret: SECRET, baseURL: ORIGIN }

function appOf(auth: Auth): App {
  return createApp({ router: createRouter().on('GET|POST /api/auth/*', mountAuthRoutes(auth)), log })
}

function signUpAt(basePath: string): Request {
  const headers = { 'content-type': 'application/json', origin: ORIGIN }
  return new Request(`${ORIGIN}${basePath}/sign-up/email`, { method: 'POST', headers, body: JSON.stringify(ADA) })
}
