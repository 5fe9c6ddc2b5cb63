import { type Database, openDatabase, postgresRuns } from '@sdk/database'
import { type App, createAgent, createApp, createLog, createRouter, type RunStore } from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORIGIN, SECRET } from './auth-app.test.fixture.ts'
import { type Auth, createAuth, createSessionMiddleware, mountAuthRoutes } from './index.ts'

const log = createLog({ write: () => {} })

describe('durable agents of signed-in users', () => {
  let database: Database
  let auth: Auth
  let runs: RunStore
  const apps: App[] = []
  const seen: string[] = []
  const wait = createAgent('wait', {
    durable: true,
    async handler(ctx) {
      seen.push(`${ctx.run.attempt} ${ctx.auth?.via} ${(await ctx.auth?.getUser())?.email}`)
      return ctx.run.attempt === 1 ? new Promise(() => {}) : 'done'
    },
  })
  const createTestApp = async (): Promise<App> => {
    const router = createRouter()
      .use('/api/*', createSessionMiddleware(auth))
      .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
    const app = createApp({ agents: [wait], router, runs, log }) as App
    apps.push(app)
    await app.ready()
    return app
  }
  const call = (app: App, route: string, token: string): Promise<Response> => {
    const [method = '', path = ''] = route.split(' ')
    const headers = { authorization: `Bearer ${token}`, prefer: 'respond-async' }
    return app.fetch(new Request(ORIGIN + path, { method, headers }))
  }

  beforeAll(async () => {
    database = openDatabase(await emptyDatabase())
    auth = createAuth({ database, secret: SECRET, throttle: false })
    runs = postgresRuns({ database, log })
    await auth.ready()
  })
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()))
    await runs.close()
    await database.close()
  })

  it('continue as the same user in another process, and are deleted with the user', async () => {
    const { id } = await auth.users.create({ name: 'Ada', email: 'ada@example.com' })
    const { token } = await auth.users.createSession(id)
    const first = await createTestApp()
    const path = (await call(first, 'POST /agent/wait', token)).headers.get('location') ?? ''
    await expect.poll(() => seen).toEqual(['1 run ada@example.com'])
    const second = await createTestApp()
    await first.close()
    const status = async (): Promise<unknown> =>
      ((await (await call(second, `GET ${path}`, token)).json()) as { status: unknown }).status
    await expect.poll(status).toBe('done')
    expect(seen).toEqual(['1 run ada@example.com', '2 run ada@example.com'])
    await auth.users.delete(id)
    await expect.poll(() => runs.get(path.slice(-32))).toBeNull()
  })

  /** Ends all processes, as if they had crashed three days ago while they executed a run. */
  async function crashThreeDaysAgo(path: string): Promise<void> {
    await Promise.all(apps.splice(0).map((app) => app.close()))
    const crashed = `status = 'running', process = 'crashed', created_at = created_at - interval '3 days'`
    await database.query(`update sdk_runs set ${crashed} where id = $1`, [path.slice(-32)])
    await database.query(`update session set "expiresAt" = "expiresAt" - interval '30 days'`)
  }

  const statusOf = async (path: string): Promise<unknown> => (await runs.get(path.slice(-32)))?.status

  it('continue as the same user three days later, although the session has expired', async () => {
    const { id } = await auth.users.create({ name: 'Joe', email: 'joe@example.com' })
    const { token } = await auth.users.createSession(id)
    const first = await createTestApp()
    const path = (await call(first, 'POST /agent/wait', token)).headers.get('location') ?? ''
    await expect.poll(() => seen).toContain('1 run joe@example.com')
    await crashThreeDaysAgo(path)
    await createTestApp()
    await expect.poll(() => statusOf(path)).toBe('done')
    expect(seen.at(-1)).toBe('2 run joe@example.com')
  })

  it('are cancelled if the user was deleted in the meantime', async () => {
    const { id } = await auth.users.create({ name: 'Eve', email: 'eve@example.com' })
    const { token } = await auth.users.createSession(id)
    const first = await createTestApp()
    const path = (await call(first, 'POST /agent/wait', token)).headers.get('location') ?? ''
    await crashThreeDaysAgo(path)
    await database.query('delete from "user" where id = $1', [id])
    await createTestApp()
    await expect.poll(() => statusOf(path)).toBe('cancelled')
    expect(seen.filter((line) => line.startsWith('2 run eve'))).toEqual([])
  })
})
