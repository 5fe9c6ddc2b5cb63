import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AuthSource } from './auth-source.ts'
import { createFakeClock, type FakeClock } from './fake-clock.test.fixture.ts'
import { readBody, startServer, type TestServer } from './http-server.test.fixture.ts'
import { createSessionClient } from './session-client.ts'

/** The auth routes of a server with one session, as Better Auth answers them. */
interface AuthState {
  user: { id: string; name: string } | null
  /** The status that every route answers, instead of its answer. */
  outage: number | null
  tokens: number
  /** When the next token expires; ms from now. */
  lifetimeMs: number
  /** The route whose answers, made at once, arrive only when `hold` lets them. */
  slow: string | null
  hold: Promise<void>
}

let state: AuthState
let server: TestServer
let clock: FakeClock
let source: AuthSource
let stop = (): void => {}

beforeEach(async () => {
  clock = createFakeClock()
  state = { user: null, outage: null, tokens: 0, lifetimeMs: 600_000, slow: null, hold: Promise.resolve() }
  server = await startServer(async (request, response) => {
    const text = (await readBody(request)).toString()
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, string>)
    const [status, answer] = route(request.url ?? '', body)
    if (state.slow === request.url) await state.hold
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  source = createSessionClient({ baseUrl: server.url, clock })
})

afterEach(async () => {
  stop()
  source.close()
  await server.close()
})

function route(url: string, body: Record<string, string>): [status: number, answer: unknown] {
  if (state.outage !== null) return [state.outage, {}]
  switch (url) {
    case '/api/auth/get-session':
      return [200, state.user && { session: { id: 's' }, user: state.user }]
    case '/api/auth/sign-up/email':
    case '/api/auth/sign-in/email':
      if (body['password'] !== 'correct horse')
        return [401, { error: { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Wrong', details: [] } }]
      state.user = { id: body['email'] ?? '', name: body['name'] ?? 'Ada' }
      return [200, { user: state.user }]
    case '/api/auth/sign-out':
      state.user = null
      return [200, { success: true }]
    case '/api/auth/access-token': {
      if (state.user === null) return [401, {}]
      const expiresAt = new Date(clock.now() + state.lifetimeMs).toISOString()
      return [200, { token: `token-${++state.tokens}`, expiresAt }]
    }
    default:
      return [404, {}]
  }
}

function start(): Promise<void> {
  return new Promise((resolve) => {
    stop = source.subscribe(() => source.snapshot().loading || resolve())
  })
}

const ADA = { email: 'ada@example.com', password: 'correct horse' }

describe('createSessionClient', () => {
  it('asks nothing until somebody wants to know', () => {
    expect(source.snapshot()).toEqual({ loading: true, user: null, token: null, error: null })
    expect(server.requests).toEqual([])
  })

  it('finds out that nobody is signed in, with one request and no error', async () => {
    await start()
    expect(source.snapshot()).toEqual({ loading: false, user: null, token: null, error: null })
    expect(await source.token()).toBeNull()
    expect(server.requests).toEqual(['GET /api/auth/get-session'])
  })

  it('finds the session and gets a token, for all who ask at once', async () => {
    state.user = { id: 'u1', name: 'Ada' }
    const tokens = await Promise.all([source.token(), source.token(), source.token()])
    expect(tokens).toEqual(['token-1', 'token-1', 'token-1'])
    expect(source.snapshot()).toMatchObject({ loading: false, user: { name: 'Ada' }, token: 'token-1' })
    expect(server.requests).toEqual(['GET /api/auth/get-session', 'POST /api/auth/access-token'])
  })

  it('signs in and out', async () => {
    await start()
    await source.signIn(ADA)
    expect(source.snapshot()).toMatchObject({ user: { id: ADA.email }, token: 'token-1', error: null, loading: false })
    await source.signOut()
    expect(source.snapshot()).toEqual({ loading: false, user: null, token: null, error: null })
    expect(await source.token()).toBeNull()
  })

  it('signs up', async () => {
    await source.signUp({ ...ADA, name: 'Ada Lovelace' })
    expect(source.snapshot()).toMatchObject({ loading: false, user: { name: 'Ada Lovelace' }, token: 'token-1' })
  })

  it('rejects a failed sign-in with the error it also shows, until one succeeds', async () => {
    await start()
    const failed = source.signIn({ ...ADA, password: 'wrong' })
    await expect(failed).rejects.toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD', status: 401 })
    expect(source.snapshot()).toMatchObject({ user: null, error: { code: 'INVALID_EMAIL_OR_PASSWORD' } })
    expect(await source.token()).toBeNull()
    await source.signIn(ADA)
    expect(source.snapshot().error).toBeNull()
  })

  it('drops an answer that was asked for before somebody signed in', async () => {
    let release = (): void => {}
    state.slow = '/api/auth/get-session'
    state.hold = new Promise((resolve) => (release = resolve))
    const early = source.token()
    await vi.waitFor(() => expect(server.requests).toHaveLength(1))
    state.slow = null
    await source.signIn(ADA)
    release()
    expect(source.snapshot()).toMatchObject({ user: { id: ADA.email } })
    expect(await early).toBe('token-1')
  })

  it('renews a token half a minute before it expires', async () => {
    state.user = { id: 'u1', name: 'Ada' }
    await start()
    await clock.advance(569_000)
    expect(await source.token()).toBe('token-1')
    await clock.advance(1000)
    await vi.waitFor(() => expect(source.snapshot().token).toBe('token-2'))
    stop()
    expect(clock.waiting).toBe(0)
    await clock.advance(600_000)
    expect(await Promise.all([source.token(), source.token()])).toEqual(['token-3', 'token-3'])
  })

  it('gets a new token when forced, once for all who ask at once', async () => {
    state.user = { id: 'u1', name: 'Ada' }
    expect(await source.token()).toBe('token-1')
    const tokens = await Promise.all([source.token({ force: true }), source.token({ force: true })])
    expect(tokens).toEqual(['token-2', 'token-2'])
  })

  it('does not take every token for old where the clock is wrong', async () => {
    state.user = { id: 'u1', name: 'Ada' }
    state.lifetimeMs = -3_600_000
    expect(await source.token()).toBe('token-1')
    expect(await source.token()).toBe('token-1')
    await clock.advance(30_000)
    expect(await source.token()).toBe('token-2')
  })

  it('signs out when the session has ended', async () => {
    state.user = { id: 'u1', name: 'Ada' }
    await start()
    state.user = null
    expect(await source.token({ force: true })).toBeNull()
    expect(source.snapshot()).toEqual({ loading: false, user: null, token: null, error: null })
  })

  it('keeps the user while the server is down, and says so', async () => {
    state.user = { id: 'u1', name: 'Ada' }
    await start()
    state.outage = 503
    expect(await source.token({ force: true })).toBe('token-1')
    expect(source.snapshot()).toMatchObject({ user: { id: 'u1' }, error: { code: 'SERVICE_UNAVAILABLE' } })
    await clock.advance(600_000)
    await expect(source.token()).rejects.toMatchObject({ status: 503 })
    state.outage = null
    expect(await source.token()).toBe('token-2')
    expect(source.snapshot().error).toBeNull()
  })

  it('does not say that nobody is signed in when it could not ask, and asks again', async () => {
    state.user = { id: 'u1', name: 'Ada' }
    state.outage = 500
    await expect(source.token()).rejects.toMatchObject({ status: 500 })
    expect(source.snapshot()).toMatchObject({ loading: false, user: null, error: { status: 500 } })
    state.outage = null
    expect(await source.token()).toBe('token-1')
  })

  it('knows that nobody is signed in where there are no auth routes', async () => {
    source = createSessionClient({ baseUrl: server.url, basePath: '/elsewhere', clock })
    expect(await source.token()).toBeNull()
    expect(source.snapshot()).toMatchObject({ user: null, error: { code: 'NOT_FOUND' } })
    expect(server.requests).toEqual(['GET /elsewhere/get-session'])
  })
})
