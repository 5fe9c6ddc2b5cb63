import { createAuth } from '@sdk/auth'
import { AuthProvider, SdkProvider, useAPI, useAuth, useWebsocket } from '@sdk/react'
import { createElement } from 'react'
import { expect, it } from 'vitest'
import { ADA, SECRET } from '../auth/people.ts'
import { cookieOf } from './guarded-app.ts'
import { act, goTo, Guarded, Public, renderHook, waitFor } from './page.ts'
import type { Apps, Section } from './section.ts'

/** Section 5. */
export const section5: Section = {
  number: '5',
  title: 'authentication',
  tests(apps) {
    testServer(apps)
    testClient(apps)
    testDecisions(apps)
  },
}

function testServer(apps: Apps): void {
  it('5.1 only the auth routes are accessible without a session', async () => {
    expect((await apps.guarded.call('GET /api/me')).status).toBe(401)
    expect((await apps.guarded.call('GET /api/auth/get-session')).status).toBe(200)
    const { status, body } = await apps.guarded.call('GET /api/me', undefined, { cookie: await apps.guarded.signIn() })
    expect([status, body]).toEqual([200, expect.objectContaining({ name: 'Ada', via: 'cookie' })])
  })

  it('5.2 ctx.auth is null in an agent without a session, and a payload with an error member returns 200', async () => {
    const { status, body } = await apps.guarded.call('POST /agent/whoami', {})
    expect([status, body]).toEqual([200, { error: 'sign in first', authorization: null }])
    const forged = await apps.guarded.call('POST /agent/whoami', {}, { authorization: 'Bearer forged' })
    expect([forged.status, forged.body]).toEqual([200, expect.objectContaining({ error: 'sign in first' })])
  })

  it('5.5 a request without a valid session returns 401 with the error object and WWW-Authenticate', async () => {
    for (const headers of [{}, { authorization: 'Bearer forged' }, { cookie: 'sdk.session_token=forged.too' }]) {
      const response = await apps.guarded.call('GET /api/me', undefined, headers)
      expect([response.status, response.headers['www-authenticate']]).toEqual([401, 'Bearer'])
      expect(response.body).toMatchObject({ error: { code: 'UNAUTHORIZED', details: [] } })
    }
  })

  it('5.6 createAuth throws unless it gets either a connectionString or a database', () => {
    expect(() => createAuth({ secret: SECRET })).toThrow('neither')
    const both = { connectionString: 'pglite://memory', database: () => ({}) }
    expect(() => createAuth({ secret: SECRET, ...both })).toThrow('both')
  })
}

function testClient(apps: Apps): void {
  const useEverything = () => ({
    auth: useAuth(),
    query: useAPI('GET /api/me'),
    call: useAPI('POST /agent/whoami'),
    socket: useWebsocket('/ws/me', { lingerMs: 0 }),
  })

  it('5.3 AuthProvider works outside and inside SdkProvider', async () => {
    const cookie = await apps.guarded.signIn()
    const Inside: typeof Guarded = ({ children }) =>
      createElement(SdkProvider, null, createElement(AuthProvider, null, children))
    for (const wrapper of [Guarded, Inside]) {
      goTo(apps.guarded.url, cookie)
      const { result, unmount } = renderHook(() => useAPI('GET /api/me'), { wrapper })
      await waitFor(() => expect(result.current.data).toMatchObject({ name: 'Ada', via: 'bearer' }))
      unmount()
    }
  })

  it('5.4 AuthProvider sends the token with every request and socket', async () => {
    goTo(apps.guarded.url, await apps.guarded.signIn())
    const { result } = renderHook(useEverything, { wrapper: Guarded })
    await waitFor(() => expect(result.current.auth.isAuthenticated).toBe(true))
    const { authHeader } = result.current.auth
    const mine = { name: 'Ada', via: 'bearer', authorization: authHeader }
    await waitFor(() => expect(result.current.query.data).toEqual(mine))
    expect(await act(() => result.current.call.invoke({}))).toEqual(mine)
    await waitFor(() => expect(result.current.socket.isConnected).toBe(true))
    expect(apps.guarded.offers.at(-1)).toContain(authHeader?.replace('Bearer ', ''))
    act(() => void result.current.socket.send('who am I?'))
    await waitFor(() => expect(result.current.socket.data).toBe('Ada'))
  })

  it('5.4 no token is sent without AuthProvider, even with a session', async () => {
    goTo(apps.guarded.url, await apps.guarded.signIn())
    const { result } = renderHook(useEverything, { wrapper: Public })
    await waitFor(() => expect(result.current.query.data).toEqual({ name: 'Ada', via: 'cookie', authorization: null }))
    await waitFor(() => expect(result.current.socket.isConnected).toBe(true))
    expect(apps.guarded.offers.at(-1)).toBe('sdk.v1')
  })

  it('5.4 the token is set after a sign-in and removed after a sign-out', async () => {
    goTo(apps.guarded.url)
    const { result } = renderHook(useEverything, { wrapper: Guarded })
    await waitFor(() => expect(result.current.query).toMatchObject({ isError: true, error: { status: 401 } }))
    await act(() => result.current.auth.signIn(ADA))
    await waitFor(() => expect(result.current.query.data).toMatchObject({ name: 'Ada' }))
    await act(() => result.current.auth.signOut())
    expect(result.current.auth).toMatchObject({ isAuthenticated: false, authHeader: null })
    await waitFor(() => expect(result.current.query).toMatchObject({ isError: true, data: undefined }))
  })
}

function testDecisions(apps: Apps): void {
  it('5.7 the session is an HttpOnly cookie, and access-token returns a short-lived token for it', async () => {
    const signedIn = await apps.guarded.call('POST /api/auth/sign-in/email', {
      email: ADA.email,
      password: ADA.password,
    })
    expect(signedIn.headers['set-cookie']).toMatch(/^sdk\.session_token=[^;]+;.*HttpOnly/)
    const headers = { cookie: cookieOf(signedIn), origin: apps.guarded.url }
    const { status, body } = await apps.guarded.call('POST /api/auth/access-token', {}, headers)
    expect([status, body]).toEqual([200, { token: expect.any(String), expiresAt: expect.any(String) }])
    const minutes = (Date.parse((body as { expiresAt: string }).expiresAt) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(8)
    expect(minutes).toBeLessThanOrEqual(10)
  })

  it('5.7 a session lasts for more than six days', async () => {
    const { body } = await apps.guarded.call('GET /api/auth/get-session', undefined, {
      cookie: await apps.guarded.signIn(),
    })
    const { session } = body as { session: { expiresAt: string } }
    expect(Date.parse(session.expiresAt) - Date.now()).toBeGreaterThan(6 * 86_400_000)
  })
}
