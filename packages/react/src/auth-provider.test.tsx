// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query'
import { act, render, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  respond,
  begin,
  createFakeAuth,
  createGate,
  createStream,
  startTestApp,
  type Handler,
} from './app.test.fixture.tsx'
import { AuthProvider } from './auth-provider.tsx'
import { SdkProvider } from './sdk-provider.tsx'
import { useAPI } from './use-api.ts'
import { useAuth } from './use-auth.ts'

const app = startTestApp()
let user: { id: string } | null
let session: number

beforeEach(() => {
  user = null
  session = 0
  const signIn: Handler = async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { email, password } = JSON.parse(Buffer.concat(parts).toString()) as { email: string; password: string }
    if (password === 'many') return response.writeHead(429, { 'retry-after': '60' }).end()
    if (password !== 'right')
      return respond(401, { error: { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'No', details: [] } })(
        request,
        response,
      )
    user = { id: email }
    session++
    return respond(200, { user })(request, response)
  }
  app.routes['POST /api/auth/sign-in/email'] = signIn
  app.routes['POST /api/auth/sign-out'] = (request, response) => {
    user = null
    respond(200, { success: true })(request, response)
  }
  app.routes['GET /api/auth/get-session'] = (request, response) =>
    respond(200, user && { session: { id: `s${session}` }, user })(request, response)
  app.routes['POST /api/auth/access-token'] = (request, response) =>
    respond(200, { token: `token-${user?.id}-${session}`, expiresAt: '2999-01-01T00:00:00.000Z' })(request, response)
  app.routes['GET /api/secret'] = app.routes['POST /api/act'] = (request, response) =>
    respond(200, { secret: request.headers.authorization ?? null })(request, response)
})

/** Opens a tab of the page with a separate cache. */
function openTab(): { cache: QueryClient; tab: () => Tab } {
  const cache = new QueryClient()
  const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
    <AuthProvider>
      <SdkProvider queryClient={cache}>{children}</SdkProvider>
    </AuthProvider>
  )
  const { result } = renderHook(useTab, { wrapper })
  return { cache, tab: () => result.current }
}

interface Tab {
  auth: ReturnType<typeof useAuth>
  secret: { data: unknown }
  act: { data: unknown; invoke(input: unknown): Promise<unknown> }
}

function useTab(): Tab {
  return { auth: useAuth(), secret: useAPI('GET /api/secret'), act: useAPI('POST /api/act') }
}

function enter(tab: () => Tab, email: string, password = 'right'): Promise<void> {
  return act(() => tab().auth.signIn({ email, password }))
}

function everythingIn(cache: QueryClient): string {
  const queries = cache.getQueryCache().getAll()
  const mutations = cache.getMutationCache().getAll()
  return JSON.stringify([queries.map(({ queryKey, state }) => [queryKey, state]), mutations.map(({ state }) => state)])
}

describe('AuthProvider', () => {
  it('shows a sign-in in every tab and fetches the data of the new user', async () => {
    const [first, second] = [openTab(), openTab()]
    await waitFor(() => expect([first.tab().auth.authLoading, second.tab().auth.authLoading]).toEqual([false, false]))
    await enter(first.tab, 'ada')
    expect(first.tab().auth).toMatchObject({ isAuthenticated: true, user: { id: 'ada' } })
    await waitFor(() => expect(second.tab().auth).toMatchObject({ isAuthenticated: true, user: { id: 'ada' } }))
    await waitFor(() => expect(second.tab().secret.data).toEqual({ secret: 'Bearer token-ada-1' }))
    await enter(second.tab, 'bob')
    await waitFor(() => expect(first.tab().auth.user?.id).toBe('bob'))
    await waitFor(() => expect(first.tab().secret.data).toEqual({ secret: 'Bearer token-bob-2' }))
    await waitFor(() => expect(everythingIn(first.cache)).not.toContain('ada'))
  })

  it('removes the data of a user from every tab after a sign-out', async () => {
    const [first, second] = [openTab(), openTab()]
    for (const { cache } of [first, second]) cache.setQueryData(['mine'], { of: 'the app' })
    await enter(first.tab, 'ada')
    await waitFor(() => expect(second.tab().auth.isAuthenticated).toBe(true))
    for (const { tab } of [first, second]) {
      await act(() => tab().act.invoke({ word: 'ada writes' }))
      await waitFor(() => expect(tab().secret.data).toEqual({ secret: 'Bearer token-ada-1' }))
    }
    for (const { cache } of [first, second]) expect(everythingIn(cache)).toContain('ada')
    await act(() => second.tab().auth.signOut())
    await waitFor(() => expect(first.tab().auth.user).toBeNull())
    for (const { cache, tab } of [first, second]) {
      await waitFor(() => expect(everythingIn(cache)).not.toContain('ada'))
      await waitFor(() => expect(tab().secret.data).toEqual({ secret: null }))
      expect(tab().act.data).toBeUndefined()
      expect(cache.getQueryData(['mine'])).toEqual({ of: 'the app' })
    }
  })

  it('clears results and stops streams at a sign-out, even for the same user', async () => {
    const stream = createStream()
    app.routes['POST /api/stream'] = stream.handler
    const auth = createFakeAuth()
    auth.become('ada')
    const { result } = renderHook(() => [useAPI('POST /api/act'), useAPI('POST /api/stream')] as const, {
      wrapper: auth.Providers,
    })
    await act(() => result.current[0].invoke({}))
    expect(result.current[0].data).toEqual({ secret: 'Bearer token-of-ada' })
    const streaming = begin(() => result.current[1].invoke({}))
    const response = await stream.started
    response.write('{"n":1}\n')
    await waitFor(() => expect(result.current[1].data).toEqual([{ n: 1 }]))
    act(() => auth.become(null))
    await stream.gone
    await expect(streaming).rejects.toMatchObject({ name: 'AbortError' })
    act(() => auth.become('ada'))
    expect(result.current.map(({ status, data }) => [status, data])).toEqual([
      ['idle', undefined],
      ['idle', undefined],
    ])
  })

  it('clears the cache if it is inside SdkProvider', async () => {
    const auth = createFakeAuth()
    const cache = new QueryClient()
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <SdkProvider queryClient={cache}>
        <AuthProvider source={auth}>{children}</AuthProvider>
      </SdkProvider>
    )
    auth.become('ada')
    const { result } = renderHook(() => useAPI('GET /api/secret'), { wrapper, reactStrictMode: true })
    await waitFor(() => expect(result.current.data).toEqual({ secret: 'Bearer token-of-ada' }))
    act(() => auth.become(null))
    await waitFor(() => expect(everythingIn(cache)).not.toContain('ada'))
  })

  it('sends requests once, after auth has loaded', async () => {
    const gate = createGate()
    const getSession = app.routes['GET /api/auth/get-session']
    app.routes['GET /api/auth/get-session'] = async (request, response) => {
      await gate.opened
      getSession?.(request, response)
    }
    user = { id: 'ada' }
    const { tab } = openTab()
    const calling = tab().act.invoke({})
    await waitFor(() => expect(app.requests).toEqual(['GET /api/auth/get-session']))
    await act(async () => {
      gate.open()
      expect(await calling).toEqual({ secret: 'Bearer token-ada-0' })
    })
    await waitFor(() => expect(tab().secret.data).toEqual({ secret: 'Bearer token-ada-0' }))
    expect(app.requests.toSorted()).toEqual([
      'GET /api/auth/get-session',
      'GET /api/secret',
      'POST /api/act',
      'POST /api/auth/access-token',
    ])
  })

  it('exposes the error of a failed sign-in until the next attempt', async () => {
    const { tab } = openTab()
    await waitFor(() => expect(tab().auth.authLoading).toBe(false))
    await expect(enter(tab, 'ada', 'wrong')).rejects.toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD', status: 401 })
    expect(tab().auth).toMatchObject({ isAuthenticated: false, error: { code: 'INVALID_EMAIL_OR_PASSWORD' } })
    await expect(enter(tab, 'ada', 'many')).rejects.toMatchObject({ status: 429, retryAfter: 60 })
    expect(tab().auth.error).toMatchObject({ status: 429, retryAfter: 60 })
    await enter(tab, 'ada')
    expect(tab().auth).toMatchObject({ isAuthenticated: true, error: null })
  })

  it('uses the base URL of an outer SdkProvider', async () => {
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <SdkProvider baseUrl="/elsewhere">
        <AuthProvider>{children}</AuthProvider>
      </SdkProvider>
    )
    renderHook(() => useAuth(), { wrapper })
    await waitFor(() => expect(app.requests).toEqual(['GET /elsewhere/api/auth/get-session']))
  })

  it('sends nothing on a server and hydrates the page without errors', async () => {
    user = { id: 'ada' }
    const Page = (): ReactNode => {
      const { authLoading, user: found } = useAuth()
      return <p>{authLoading ? 'loading' : (found?.id ?? 'nobody')}</p>
    }
    const tree = (
      <AuthProvider>
        <SdkProvider>
          <Page />
        </SdkProvider>
      </AuthProvider>
    )
    const html = renderToString(tree)
    expect(html).toBe('<p>loading</p>')
    expect(app.requests).toEqual([])
    const container = document.createElement('div')
    container.innerHTML = html
    const errors: unknown[] = []
    const root = await act(async () => hydrateRoot(container, tree, { onRecoverableError: (e) => errors.push(e) }))
    await waitFor(() => expect(container.innerHTML).toBe('<p>ada</p>'))
    expect(errors).toEqual([])
    act(() => root.unmount())
  })

  it('never sets authLoading again', async () => {
    const seen: boolean[] = []
    const Page = (): ReactNode => {
      const auth = useAuth()
      seen.push(auth.authLoading)
      return <button onClick={() => void auth.signIn({ email: 'ada', password: 'right' })}>{auth.user?.id}</button>
    }
    const { container } = render(<Page />, { wrapper: AuthProvider })
    await waitFor(() => expect(seen.at(-1)).toBe(false))
    act(() => container.querySelector('button')?.click())
    await waitFor(() => expect(container.textContent).toBe('ada'))
    expect(seen.slice(seen.indexOf(false))).not.toContain(true)
  })
})
