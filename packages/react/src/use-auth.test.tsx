// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { respond, createFakeAuth, startTestApp } from './app.test.fixture.tsx'
import { AuthProvider } from './auth-provider.tsx'
import { SdkProvider } from './sdk-provider.tsx'
import { useAPI } from './use-api.ts'
import { useAuth } from './use-auth.ts'

const app = startTestApp()

describe('useAuth', () => {
  it('returns no user without an AuthProvider', async () => {
    const { result } = renderHook(() => useAuth())
    expect(result.current).toMatchObject({ isAuthenticated: false, authLoading: false, authHeader: null, user: null })
    await expect(result.current.signOut()).rejects.toThrow('<AuthProvider>')
  })

  it('returns the signed-in user and updates when it changes', async () => {
    const auth = createFakeAuth()
    const { result } = renderHook(() => useAuth(), { wrapper: auth.Providers })
    expect(result.current).toMatchObject({ isAuthenticated: false, authLoading: true, authHeader: null })
    await act(() => result.current.signIn({ email: 'ada', password: 'x' }))
    expect(result.current).toMatchObject({
      isAuthenticated: true,
      authLoading: false,
      authHeader: 'Bearer token-of-ada',
      user: { name: 'ada' },
    })
    await act(() => result.current.signOut())
    expect(result.current).toMatchObject({ isAuthenticated: false, authLoading: false, authHeader: null, user: null })
  })
})

describe('AuthProvider', () => {
  it('reads the session from the auth routes of the page once', async () => {
    app.routes['GET /api/auth/get-session'] = respond(200, { session: {}, user: { id: 'u1', name: 'Ada' } })
    app.routes['POST /api/auth/access-token'] = respond(200, { token: 'abc', expiresAt: '2999-01-01T00:00:00.000Z' })
    const { result } = renderHook(() => useAuth(), { wrapper: AuthProvider, reactStrictMode: true })
    expect(result.current.authLoading).toBe(true)
    await waitFor(() => expect(result.current.isAuthenticated).toBe(true))
    expect(result.current).toMatchObject({ authHeader: 'Bearer abc', user: { name: 'Ada' } })
    expect(app.requests).toEqual(['GET /api/auth/get-session', 'POST /api/auth/access-token'])
  })

  it.each(['outside', 'inside'])('adds its token to every call if it is %s of SdkProvider', async (position) => {
    app.routes['POST /a'] = (request, response) =>
      respond(200, request.headers.authorization ?? null)(request, response)
    const auth = createFakeAuth()
    auth.become('ada')
    const inside = ({ children }: { children: ReactNode }): ReactNode => (
      <SdkProvider>
        <AuthProvider source={auth}>{children}</AuthProvider>
      </SdkProvider>
    )
    const wrapper = position === 'inside' ? inside : auth.Providers
    const { result } = renderHook(() => useAPI('POST /a'), { wrapper })
    await act(() => result.current.invoke({}))
    expect(result.current.data).toBe('Bearer token-of-ada')
  })
})
