import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createAuth, createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { type Database, openDatabase } from '@sdk/database'
import { redisEngine } from '@sdk/redis'
import { createApp, createLog, createRouter, createSocket, type Log, serve, type Server } from '@sdk/server'
import { createDatabase, hasPostgres, hasRedis, type Service, startRedis } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const SECRET = 'a secret of the tests, long enough to be one'

/** One of two processes, each with separate connections to Redis. */
interface Process {
  readonly server: Server
  close(): Promise<void>
}

describe.skipIf(!hasRedis())('two processes that share a Redis', () => {
  let redis: Service
  let database: Database
  let here: Process
  let there: Process
  let count = 0

  beforeAll(async () => {
    redis = await startRedis()
    database = openDatabase(hasPostgres() ? await createDatabase() : 'pglite://memory')
    here = await start()
    there = await start()
  })
  afterAll(async () => {
    await Promise.all([here.close(), there.close()])
    await database.close()
    await redis.stop()
  })

  async function start(): Promise<Process> {
    // An hour, so that no cached session expires during a test.
    const auth = createAuth({ database, secret: SECRET, sessionCacheMs: 3_600_000 })
    const router = createRouter()
      .use('/api/*', createSessionMiddleware(auth))
      .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
      .on('GET /api/me', async (ctx) => ctx.auth?.getUser())
      .socket('/ws/chat', createSocket({}))
    const engine = redisEngine(redis.url, { log: silent })
    const limits = { socket: { signInCheck: 200 } }
    const app = createApp({ router, engine, limits, rateLimit: false, log: createLog({ write: () => {} }) })
    await auth.ready()
    const server = await serve(app, { port: 0, signals: false, survive: false })
    return {
      server,
      async close() {
        await server.close()
        await engine.close()
      },
    }
  }

  function post(
    { server }: Process,
    path: string,
    { cookie = '', ...body }: Record<string, string>,
  ): Promise<Response> {
    const headers = { cookie, origin: server.url, 'content-type': 'application/json' }
    return fetch(`${server.url}/api/auth${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  /** Signs a user up in the first process, and opens a socket of the user in the second. */
  async function signUp(): Promise<{ cookie: string; closed: Promise<unknown[]> }> {
    const email = `user${(count += 1)}@example.com`
    const made = await post(here, '/sign-up/email', { name: 'Ada', email, password: 'correct horse' })
    assert.equal(made.status, 200)
    const cookie = made.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    assert.equal((await me(there, cookie)).status, 200)
    const socket = new WebSocket(`${there.server.url.replace('http', 'ws')}/ws/chat`, { headers: { cookie } })
    await once(socket, 'open')
    return { cookie, closed: once(socket, 'close') }
  }

  const me = ({ server }: Process, cookie: string): Promise<Response> =>
    fetch(`${server.url}/api/me`, { headers: { cookie } })

  it('both apply a sign-out and a change of the user', async () => {
    const { cookie, closed } = await signUp()
    const name = async (): Promise<unknown> => Reflect.get((await (await me(there, cookie)).json()) as object, 'name')
    expect((await post(here, '/update-user', { cookie, name: 'Countess' })).status).toBe(200)
    await expect.poll(name).toBe('Countess')
    expect((await post(here, '/sign-out', { cookie })).status).toBe(200)
    expect((await closed)[0]).toBe(4401)
    expect([(await me(here, cookie)).status, (await me(there, cookie)).status]).toEqual([401, 401])
  })

  it('sign users out while Redis is down, and the other process closes their sockets', async () => {
    const { cookie, closed } = await signUp()
    await redis.kill()
    expect((await post(here, '/sign-out', { cookie })).status).toBe(200)
    expect((await me(here, cookie)).status).toBe(401)
    expect((await closed)[0]).toBe(4401)
    expect((await me(there, cookie)).status).toBe(401)
    await redis.start()
  })
})
