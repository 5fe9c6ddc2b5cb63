import { createAuth, createSessionMiddleware, mountAuthRoutes, type Auth } from '@sdk/auth'
import { createAgent, createApp, createLog, createRouter } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ADA, ORIGIN, SECRET } from '../auth/people.ts'
import { type Opened, openDrizzle } from '../auth/ways.ts'
import type { Apps, Section } from './section.ts'

const log = createLog({ write: () => {} })

/** Section 2.6. */
export const section2_6: Section = {
  number: '2.6',
  title: 'server-side authentication objects',
  tests(apps) {
    testCreateAuth(apps)
    testParts(apps)
    testAgents()
  },
}

function testCreateAuth(apps: Apps): void {
  let opened: Opened
  beforeAll(async () => {
    opened = await openDrizzle('pglite://memory', true)
  })
  afterAll(() => opened.close())

  it('2.6 createAuth accepts a connectionString and stores its users there', async () => {
    const cookie = await apps.guarded.signIn()
    const { body } = await apps.guarded.call('GET /api/auth/get-session', undefined, { cookie })
    expect(body).toMatchObject({ user: { name: 'Ada' } })
  })

  it('2.6 createAuth accepts a Drizzle adapter with the provider pg', async () => {
    const auth = createAuth({ ...opened.source, secret: SECRET, baseURL: ORIGIN })
    expect((await post(auth, '/api/auth/sign-up/email')).status).toBe(200)
    expect(await opened.query('select name from "user"')).toEqual([{ name: 'Ada' }])
    await auth.close()
  })

  it('2.6 createAuth has its routes at /api/auth or at basePath', async () => {
    expect((await apps.guarded.call('GET /api/auth/get-session')).status).toBe(200)
    expect(apps.guarded.auth.basePath).toBe('/api/auth')
    const auth = createAuth({ ...opened.source, secret: SECRET, baseURL: ORIGIN, basePath: '/api/people' })
    expect((await post(auth, '/api/people/sign-in/email')).status).toBe(200)
    expect((await post(auth, '/api/auth/sign-in/email')).status).toBe(404)
    await auth.close()
  })

  it('2.6 createAuth throws without a connectionString or a database', () => {
    expect(() => createAuth({ secret: SECRET })).toThrow('needs a connectionString or a database')
    expect(() => createAuth({ secret: SECRET, connectionString: '' })).toThrow(TypeError)
  })
}

function testParts(apps: Apps): void {
  it('2.6 mountAuthRoutes returns a route handler', async () => {
    const router = createRouter().on('GET|POST /api/auth/*', mountAuthRoutes(apps.guarded.auth))
    const app = createApp({ router, log })
    expect((await app.fetch(new Request(`${apps.guarded.url}/api/auth/get-session`))).status).toBe(200)
  })

  it('2.6 createSessionMiddleware returns a middleware that sets ctx.auth', async () => {
    const router = createRouter()
      .use('/open/*', createSessionMiddleware(apps.guarded.auth, { optional: true }))
      .on('GET /open/me', async (ctx) => ({ name: (await ctx.auth?.getUser())?.name ?? null }))
    const app = createApp({ router, log })
    const send = async (headers: Record<string, string>): Promise<unknown> =>
      (await app.fetch(new Request(`${apps.guarded.url}/open/me`, { headers }))).json()
    expect(await send({})).toEqual({ name: null })
    expect(await send({ cookie: await apps.guarded.signIn() })).toEqual({ name: 'Ada' })
    await app.close()
  })

  it('2.6 ctx.auth is null without a session, and otherwise getUser returns a user with a name', async () => {
    expect((await apps.guarded.call('POST /agent/whoami', {})).body).toMatchObject({ error: 'sign in first' })
    const cookie = await apps.guarded.signIn()
    const { body } = await apps.guarded.call('POST /agent/whoami', {}, { cookie })
    expect(body).toMatchObject({ name: 'Ada' })
  })

  it('2.6 getUser returns all fields of the user', async () => {
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
  it('2.6 createAgent accepts a name and a handler that maps context and input to the payload', async () => {
    const greet = createAgent('greet', { handler: async (ctx, input) => ({ route: ctx.route, input }) })
    const app = await testApp(createApp({ agents: [greet], log }))
    expect(await app.agent('greet').call({ name: 'Ada' })).toEqual({
      route: 'POST /agent/greet',
      input: { name: 'Ada' },
    })
    await app.close()
  })
}

/** Sends Ada's request to an app with only the auth routes. */
async function post(auth: Auth, path: string): Promise<Response> {
  const router = createRouter().on(`GET|POST ${auth.basePath}/*`, mountAuthRoutes(auth))
  const app = createApp({ router, log })
  const headers = { 'content-type': 'application/json', origin: ORIGIN }
  const response = await app.fetch(new Request(ORIGIN + path, { method: 'POST', headers, body: JSON.stringify(ADA) }))
  await app.close()
  return response
}
