import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Auth, createAuth, createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { createApp, createLog, createRouter, createSocket, serve, type Server } from '@sdk/server'
import { hasPostgres, type Postgres, startPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { addRow, choose } from './mode.ts'
import { later } from './sockets/lives.ts'

const STOPS = choose(10, 1)
const AWAY_MS = choose(5_000, 1_500)
const WORKERS = choose(20, 8)
/** The required results while the database is down. */
const AWAY = ['cookie away: 503 later', 'bearer away: 503 later']
const SECRET = 'a secret of the tests, long enough to be one'
const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

type Phase = 'there' | 'away' | 'coming back'

/** The results of requests, by the phase of the database when they were sent. */
interface Tally {
  phase: Phase
  readonly results: Map<string, number>
  isOver: boolean
}

describe.skipIf(!hasPostgres())('a database that is restarted under load', () => {
  const tally: Tally = { phase: 'there', results: new Map(), isOver: false }
  let postgres: Postgres
  let auth: Auth
  let server: Server
  let credentials: Record<string, string>[]
  let socket: WebSocket
  let backMs = 0

  beforeAll(async () => {
    postgres = await startPostgres()
    auth = createAuth({ connectionString: postgres.url, secret: SECRET, sessionCacheMs: 100 })
    server = await start(auth)
    credentials = await signUp(server.url)
    socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/chat`, { headers: credentials[0] ?? {} })
    await once(socket, 'open')
    const workers = Array.from({ length: WORKERS }, (_, index) => work(index))
    for (let stop = 0; stop < STOPS; stop += 1) backMs = Math.max(backMs, await stopOnce())
    tally.isOver = true
    await Promise.all(workers)
    addRow({ name: `${STOPS} stops of the database`, requests: total(), 'back after ms': Math.round(backMs) })
  })
  afterAll(async () => {
    socket.terminate()
    await server.close()
    await auth.close()
    await postgres.stop()
  })

  /** Restarts the database. Returns the time until requests succeed again, in ms. */
  async function stopOnce(): Promise<number> {
    await later(500)
    await postgres.kill()
    tally.phase = 'away'
    await later(AWAY_MS)
    await vi.waitFor(() => expect(seen()).toEqual(expect.arrayContaining(AWAY)), { timeout: 120_000, interval: 20 })
    tally.phase = 'coming back'
    await postgres.start()
    const started = performance.now()
    const isBack = async (): Promise<void> => assert.deepEqual(await statuses(), [200, 200])
    await vi.waitFor(isBack, { timeout: 120_000, interval: 20 })
    tally.phase = 'there'
    return performance.now() - started
  }

  const send = (headers: Record<string, string>): Promise<Response> => fetch(`${server.url}/api/me`, { headers })

  const statuses = async (): Promise<number[]> => (await Promise.all(credentials.map(send))).map(({ status }) => status)

  async function work(index: number): Promise<void> {
    const headers = credentials[index % credentials.length] ?? {}
    while (!tally.isOver) {
      const { phase } = tally
      const response = await send(headers)
      await response.text()
      const retry = response.headers.has('retry-after') ? ' later' : ''
      const key = `${index % credentials.length === 0 ? 'cookie' : 'bearer'} ${phase}: ${response.status}${retry}`
      tally.results.set(key, (tally.results.get(key) ?? 0) + 1)
      await later(5)
    }
  }

  const total = (): number => [...tally.results.values()].reduce((sum, count) => sum + count, 0)
  const seen = (): string[] => [...tally.results.keys()]

  it('causes 503 with Retry-After, never 401', () => {
    const bad = seen().filter((key) => !/: (?:200|503 later)$/.test(key))
    expect(bad).toEqual([])
    expect(seen()).toEqual(expect.arrayContaining(AWAY))
  })

  it('is used again within five seconds', async () => {
    expect(backMs).toBeLessThan(choose(5_000, 60_000))
    expect(await statuses()).toEqual([200, 200])
  })

  it('leaves sockets open until their session ends', async () => {
    expect(socket.readyState).toBe(WebSocket.OPEN)
    const closed = once(socket, 'close')
    const headers = { ...credentials[0], origin: server.url, 'content-type': 'application/json' }
    await fetch(`${server.url}/api/auth/sign-out`, { method: 'POST', headers, body: '{}' })
    expect((await closed)[0]).toBe(4401)
    expect(await statuses()).toEqual([401, 401])
  })
})

async function start(by: Auth): Promise<Server> {
  const router = createRouter()
    .use('/api/*', createSessionMiddleware(by))
    .on('GET|POST /api/auth/*', mountAuthRoutes(by))
    .on('GET /api/me', async (ctx) => ctx.auth?.getUser())
    .socket('/ws/chat', createSocket({}))
  const limits = { socket: { signInCheck: 200 } }
  const app = createApp({ router, rateLimit: false, limits, log: createLog({ write: () => {} }) })
  return serve(app, { port: 0, signals: false, survive: false })
}

/** Signs a user up. Returns a cookie, and a token of the same session. */
async function signUp(url: string): Promise<Record<string, string>[]> {
  const headers = { origin: url, 'content-type': 'application/json' }
  const post = (path: string, body: object, more: object = {}): Promise<Response> =>
    fetch(`${url}/api/auth${path}`, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) })
  const made = await post('/sign-up/email', ADA)
  assert.equal(made.status, 200)
  const cookie = made.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const { token } = (await (await post('/access-token', {}, { cookie })).json()) as { token: string }
  return [{ cookie }, { authorization: `Bearer ${token}` }]
}
