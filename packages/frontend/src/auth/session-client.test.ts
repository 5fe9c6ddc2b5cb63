import { beforeEach, describe, expect, it } from 'vitest'
import { ADA, startAuthServer } from './auth-server.test.fixture.ts'
import type { AuthSnapshot } from './auth-source.ts'
import type { SessionClient } from './session-client.ts'

const auth = startAuthServer()
let source: SessionClient

beforeEach(() => {
  source = auth.open()
})

describe('createSessionClient', () => {
  it('sends no request without a subscriber', () => {
    expect(source.snapshot()).toEqual({ loading: true, user: null, token: null, error: null })
    expect(auth.server.requests).toEqual([])
  })

  it('finds no session with one request and no error', async () => {
    await auth.look(source)
    expect(source.snapshot()).toEqual({ loading: false, user: null, token: null, error: null })
    expect(await source.token()).toBeNull()
    expect(auth.server.requests).toEqual(['GET /api/auth/get-session'])
  })

  it('reads the session and gets a token once for concurrent calls', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    const tokens = await Promise.all([source.token(), source.token(), source.token()])
    expect(tokens).toEqual(['token-1', 'token-1', 'token-1'])
    expect(source.snapshot()).toMatchObject({ loading: false, user: { name: 'Ada' }, token: 'token-1' })
    expect(auth.server.requests).toEqual(['GET /api/auth/get-session', 'POST /api/auth/access-token'])
  })

  it('signs in and out', async () => {
    await auth.look(source)
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

  it('rejects a failed sign-in and exposes its error until one succeeds', async () => {
    await auth.look(source)
    const failed = source.signIn({ ...ADA, password: 'wrong' })
    await expect(failed).rejects.toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD', status: 401 })
    expect(source.snapshot()).toMatchObject({ user: null, error: { code: 'INVALID_EMAIL_OR_PASSWORD' } })
    expect(await source.token()).toBeNull()
    await source.signIn(ADA)
    expect(source.snapshot().error).toBeNull()
  })

  it('ignores a response that was requested before a sign-in', async () => {
    let release = (): void => {}
    auth.slow = '/api/auth/get-session'
    auth.hold = new Promise((resolve) => (release = resolve))
    const early = source.token()
    await expect.poll(() => auth.server.requests).toHaveLength(1)
    auth.slow = null
    await source.signIn(ADA)
    release()
    expect(source.snapshot()).toMatchObject({ user: { id: ADA.email } })
    expect(await early).toBe('token-1')
  })

  it('renews a token 30 s before it expires', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    const stop = await auth.look(source)
    await auth.clock.advance(569_000)
    expect(await source.token()).toBe('token-1')
    await auth.clock.advance(1000)
    await expect.poll(() => source.snapshot().token).toBe('token-2')
    stop()
    expect(auth.clock.waiting).toBe(0)
    await auth.clock.advance(600_000)
    expect(await Promise.all([source.token(), source.token()])).toEqual(['token-3', 'token-3'])
  })

  it('gets one new token for concurrent calls with force', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    expect(await source.token()).toBe('token-1')
    const tokens = await Promise.all([source.token({ force: true }), source.token({ force: true })])
    expect(tokens).toEqual(['token-2', 'token-2'])
  })

  it('keeps a token for 30 s if the clock is wrong', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    auth.lifetimeMs = -3_600_000
    expect(await source.token()).toBe('token-1')
    expect(await source.token()).toBe('token-1')
    await auth.clock.advance(30_000)
    expect(await source.token()).toBe('token-2')
  })

  it('signs out when the session has ended', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    await auth.look(source)
    auth.user = null
    expect(await source.token({ force: true })).toBeNull()
    expect(source.snapshot()).toEqual({ loading: false, user: null, token: null, error: null })
  })

  it('keeps the user and exposes the error while the server is down', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    await auth.look(source)
    auth.outage = 500
    expect(await source.token({ force: true })).toBe('token-1')
    expect(source.snapshot()).toMatchObject({
      user: { id: 'u1' },
      loading: false,
      error: { code: 'INTERNAL_SERVER_ERROR' },
    })
    auth.clock.freeze(599_000)
    expect(await source.token()).toBe('token-1')
    auth.clock.freeze(1000)
    await expect(source.token()).rejects.toMatchObject({ status: 500 })
    expect(source.snapshot()).toMatchObject({ user: { id: 'u1' }, loading: false })
    auth.outage = null
    expect(await source.token()).toBe('token-2')
    expect(source.snapshot().error).toBeNull()
  })

  it('keeps the user without a network and rejects a sign-out', async () => {
    let isOnline = true
    const fetch: typeof globalThis.fetch = (...request) =>
      isOnline ? globalThis.fetch(...request) : Promise.reject(new TypeError('Failed to fetch'))
    auth.user = { id: 'u1', name: 'Ada' }
    source = auth.open({ fetch })
    await auth.look(source)
    isOnline = false
    const [token] = await Promise.all([source.token({ force: true }), auth.clock.advance(10_000)])
    expect(token).toBe('token-1')
    expect(source.snapshot()).toMatchObject({ user: { id: 'u1' }, error: { code: 'NETWORK_ERROR' } })
    isOnline = true
    auth.emitPageEvent('wake')
    // The client may already be retrying, with a delay before the next attempt.
    const later = async (): Promise<AuthSnapshot> => {
      await auth.clock.advance(1_000)
      return source.snapshot()
    }
    await expect.poll(later).toMatchObject({ user: { id: 'u1' }, error: null })
    isOnline = false
    await expect(source.signOut()).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
    expect(source.snapshot()).toMatchObject({ user: { id: 'u1' }, error: { code: 'NETWORK_ERROR' } })
  })

  it('retries after a server error', async () => {
    auth.outage = 500
    await auth.look(source)
    expect(source.snapshot()).toMatchObject({ loading: false, user: null, error: { status: 500 } })
    auth.user = { id: 'u1', name: 'Ada' }
    auth.outage = null
    await auth.clock.advance(21_000)
    await expect.poll(() => source.snapshot()).toMatchObject({ user: { id: 'u1' }, error: null })
  })

  it('rejects with INVALID_RESPONSE if the response is not a session', async () => {
    for (const type of ['text/html', 'application/pdf', 'application/json']) {
      const page = async (): Promise<Response> => new Response('"welcome"', { headers: { 'content-type': type } })
      await expect(auth.open({ fetch: page }).token()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' })
    }
  })

  it('returns the same user object while nothing has changed', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    await auth.look(source)
    const { user } = source.snapshot()
    await source.token({ force: true })
    expect(source.snapshot().user).toBe(user)
    auth.user = { id: 'u1', name: 'Ada Lovelace' }
    await source.token({ force: true })
    expect(source.snapshot().user).toEqual(auth.user)
  })

  it('keeps the error of a failed sign-in until the next one', async () => {
    await auth.look(source)
    await expect(source.signIn({ ...ADA, password: 'wrong' })).rejects.toMatchObject({ status: 401 })
    auth.clock.freeze(30_000)
    auth.emitPageEvent('wake')
    await expect.poll(() => auth.server.requests).toHaveLength(3)
    await source.token()
    expect(source.snapshot().error).toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD' })
    const next = source.signIn(ADA)
    expect(source.snapshot().error).toBeNull()
    await next
  })

  it('has no user if the session cannot be read after a sign-in', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    await auth.look(source)
    let release = (): void => {}
    auth.slow = '/api/auth/sign-in/email'
    auth.hold = new Promise((resolve) => (release = resolve))
    const entering = source.signIn({ ...ADA, email: 'bob@example.com' })
    await expect.poll(() => auth.user?.id).toBe('bob@example.com')
    auth.outage = 500
    release()
    await expect(entering).rejects.toMatchObject({ status: 500 })
    expect(source.snapshot()).toMatchObject({ user: null, token: null, error: { status: 500 } })
    await expect(source.token()).rejects.toMatchObject({ status: 500 })
    auth.outage = null
    await source.token()
    expect(source.snapshot()).toMatchObject({ user: { id: 'bob@example.com' } })
  })

  it('rejects if the session cannot be read, and retries on the next call', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    auth.outage = 500
    await expect(source.token()).rejects.toMatchObject({ status: 500 })
    expect(source.snapshot()).toMatchObject({ loading: false, user: null, error: { status: 500 } })
    auth.outage = null
    expect(await source.token()).toBe('token-1')
  })

  it('has no user if the auth routes do not exist', async () => {
    source = auth.open({ basePath: '/elsewhere' })
    expect(await source.token()).toBeNull()
    expect(source.snapshot()).toMatchObject({ user: null, error: { code: 'NOT_FOUND' } })
    expect(auth.server.requests).toEqual(['GET /elsewhere/get-session'])
  })
})
