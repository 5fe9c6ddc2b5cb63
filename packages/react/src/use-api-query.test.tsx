// @vitest-environment happy-dom
import { once } from 'node:events'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, renderHook, screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { respond, createFakeAuth, createGate, Sdk, startTestApp } from './app.test.fixture.tsx'
import { SdkProvider } from './sdk-provider.tsx'
import { useAPI } from './use-api.ts'

const app = startTestApp()

describe('useAPI with a GET route', () => {
  it('promise 4: fetches on mount and exposes its status', async () => {
    app.routes['GET /api/status'] = respond(200, { status: 'ok' })
    const { result } = renderHook(() => useAPI('GET /api/status'), { wrapper: Sdk })
    expect(result.current).toMatchObject({
      status: 'loading',
      data: undefined,
      error: null,
      isLoading: true,
      isFetching: true,
      isSuccess: false,
      isError: false,
    })
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    expect(result.current).toMatchObject({
      status: 'success',
      data: { status: 'ok' },
      error: null,
      isLoading: false,
      isFetching: false,
      isError: false,
    })
    expect(result.current).not.toHaveProperty('invoke')
  })

  it('promise 2: sends one request in StrictMode', async () => {
    app.routes['GET /a'] = respond(200, { n: 1 })
    const { result } = renderHook(() => useAPI('GET /a'), { wrapper: Sdk, reactStrictMode: true })
    await waitFor(() => expect(result.current.data).toEqual({ n: 1 }))
    expect(app.requests).toEqual(['GET /a'])
  })

  it('promise 2: sends one request for three components', async () => {
    app.routes['GET /a'] = respond(200, { n: 1 })
    const Part = (): ReactNode => <b>{JSON.stringify(useAPI('GET /a').data)}</b>
    render(
      <Sdk>
        <Part />
        <Part />
        <Part />
      </Sdk>,
    )
    await waitFor(() => expect(screen.getAllByText('{"n":1}')).toHaveLength(3))
    expect(app.requests).toEqual(['GET /a'])
  })

  it('promise 1: sends one request across renders with inline options', async () => {
    app.routes['GET /a/7'] = respond(200, { n: 1 })
    const { result, rerender } = renderHook(
      () =>
        useAPI({
          route: 'GET /a/:id',
          params: { id: 7 },
          query: { tags: ['x', 'y'], since: new Date(0) },
          headers: { 'x-tenant': 'a' },
          onChunk: () => {},
          onSuccess: () => {},
          onError: () => {},
          select: (data) => ({ data }),
        }),
      { wrapper: Sdk },
    )
    for (let count = 0; count < 50; count++) rerender()
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    for (let count = 0; count < 50; count++) rerender()
    expect(app.requests).toEqual(['GET /a/7?tags=x%2Cy&since=1970-01-01T00%3A00%3A00.000Z'])
  })

  it('exposes the error of the envelope and no data', async () => {
    const envelope = { error: { code: 'NOT_FOUND', message: 'no such task', details: [] } }
    app.routes['GET /a'] = respond(404, envelope)
    const { result } = renderHook(() => useAPI('GET /a'), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isError).toBe(true))
    expect(result.current).toMatchObject({
      status: 'error',
      data: undefined,
      isSuccess: false,
      isLoading: false,
      error: { code: 'NOT_FOUND', status: 404, message: 'no such task' },
    })
    expect(app.requests).toHaveLength(1)
  })

  it('treats a 2xx payload with a member "error" as a success', async () => {
    const payload = { error: { code: 'NOT_FOUND', message: 'just data', details: [] } }
    app.routes['GET /a'] = respond(200, payload)
    const { result } = renderHook(() => useAPI('GET /a'), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    expect(result.current).toMatchObject({ data: payload, isError: false, error: null })
  })

  it('promise 5: refetches and keeps the last data when a refetch fails', async () => {
    app.routes['GET /a'] = respond(200, { n: 1 })
    const { result } = renderHook(() => useAPI('GET /a'), { wrapper: Sdk })
    await waitFor(() => expect(result.current.data).toEqual({ n: 1 }))
    app.routes['GET /a'] = respond(200, { n: 2 })
    await act(async () => expect(await result.current.refetch()).toEqual({ n: 2 }))
    await waitFor(() => expect(result.current.data).toEqual({ n: 2 }))
    app.routes['GET /a'] = respond(500, {})
    await act(async () => expect(result.current.refetch()).rejects.toMatchObject({ status: 500 }))
    await waitFor(() => expect(result.current.isError).toBe(true))
    expect(result.current).toMatchObject({ isSuccess: false, data: { n: 2 }, error: { status: 500 } })
    app.routes['GET /a'] = respond(200, { n: 3 })
    await act(() => result.current.refetch())
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    expect(result.current).toMatchObject({ isError: false, data: { n: 3 }, error: null })
  })

  it('causes no unhandled rejection if a refetch is not awaited', async () => {
    app.routes['GET /a'] = respond(500, {})
    const { result } = renderHook(() => useAPI('GET /a'), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isError).toBe(true))
    act(() => void result.current.refetch())
    await waitFor(() => expect(app.requests).toHaveLength(2))
    await waitFor(() => expect(result.current.isFetching).toBe(false))
  })

  it('promise 4: sets isFetching, not isLoading, during a refetch', async () => {
    app.routes['GET /a'] = respond(200, 1)
    const { result } = renderHook(() => useAPI('GET /a'), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    const gate = createGate()
    app.routes['GET /a'] = (request, response) => gate.opened.then(() => respond(200, 2)(request, response))
    act(() => void result.current.refetch())
    await waitFor(() => expect(result.current.isFetching).toBe(true))
    expect(result.current).toMatchObject({ isLoading: false, isSuccess: true, data: 1 })
    gate.open()
    await waitFor(() => expect(result.current.data).toBe(2))
  })

  it('promise 3: aborts the request for old params and never shows its response', async () => {
    const aborted = createGate<string>()
    app.routes['GET /a/1'] = (_request, response) => once(response, 'close').then(() => aborted.open('aborted'))
    app.routes['GET /a/2'] = respond(200, 'two')
    const { result, rerender } = renderHook(({ id }) => useAPI('GET /a/:id', { params: { id } }), {
      wrapper: Sdk,
      initialProps: { id: 1 },
      reactStrictMode: true,
    })
    await waitFor(() => expect(app.requests).toEqual(['GET /a/1']))
    rerender({ id: 2 })
    expect(result.current.data).toBeUndefined()
    await waitFor(() => expect(result.current.data).toBe('two'))
    expect(await aborted.opened).toBe('aborted')
    expect(app.requests).toEqual(['GET /a/1', 'GET /a/2'])
  })

  it('promise 3: aborts its request when the last component unmounts, and fetches again on mount', async () => {
    const aborted = createGate<string>()
    app.routes['GET /a'] = (_request, response) => once(response, 'close').then(() => aborted.open('aborted'))
    const queryClient = new QueryClient()
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <SdkProvider queryClient={queryClient}>{children}</SdkProvider>
    )
    const first = renderHook(() => useAPI('GET /a'), { wrapper })
    const second = renderHook(() => useAPI('GET /a'), { wrapper })
    await waitFor(() => expect(app.requests).toEqual(['GET /a']))
    first.unmount()
    await Promise.resolve()
    expect(second.result.current.isFetching).toBe(true)
    second.unmount()
    expect(await aborted.opened).toBe('aborted')
    app.routes['GET /a'] = respond(200, 'again')
    const third = renderHook(() => useAPI('GET /a'), { wrapper })
    await waitFor(() => expect(third.result.current.data).toBe('again'))
    expect(third.result.current.error).toBeNull()
  })

  it('promise 2: sends one request if another component takes over before the response', async () => {
    const gate = createGate()
    app.routes['GET /a'] = (request, response) => gate.opened.then(() => respond(200, 'there')(request, response))
    const Part = (): ReactNode => <b>{String(useAPI('GET /a').data)}</b>
    const { rerender, container } = render(<Part key="first" />, { wrapper: Sdk })
    await waitFor(() => expect(app.requests).toEqual(['GET /a']))
    rerender(<Part key="second" />)
    gate.open()
    await waitFor(() => expect(container.textContent).toBe('there'))
    expect(app.requests).toEqual(['GET /a'])
  })

  it('promise 4: sends nothing while it is not enabled, even with an interval', async () => {
    app.routes['*'] = respond(200, 1)
    const { result, rerender } = renderHook(
      ({ enabled }) => {
        useAPI('GET /metronome', { refetchInterval: 5 })
        return useAPI('GET /a', { enabled, refetchInterval: 5 })
      },
      { wrapper: Sdk, initialProps: { enabled: false } },
    )
    expect(result.current).toMatchObject({ status: 'idle', isLoading: false, isFetching: false })
    await waitFor(() => expect(app.requests.length).toBeGreaterThan(5))
    expect(app.requests).not.toContain('GET /a')
    rerender({ enabled: true })
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
  })

  it('collects a streamed response chunk by chunk', async () => {
    app.routes['GET /a'] = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('{"n":1}\n{"n":2}\n')
    const chunks: unknown[] = []
    const { result } = renderHook(() => useAPI('GET /a', { onChunk: (chunk) => chunks.push(chunk) }), { wrapper: Sdk })
    await waitFor(() => expect(result.current.data).toEqual([{ n: 1 }, { n: 2 }]))
    expect(chunks).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('exposes a missing param as an error with a cause', async () => {
    const { result } = renderHook(() => useAPI('GET /a/:id', { params: { id: '' } }), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isError).toBe(true))
    expect(result.current.error).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('params.id'),
      cause: expect.any(TypeError),
    })
    expect(app.requests).toEqual([])
  })

  it('uses the query client of the app and puts the route first in its keys', async () => {
    app.routes['GET /a'] = respond(200, 1)
    const queryClient = new QueryClient()
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <QueryClientProvider client={queryClient}>
        <SdkProvider>{children}</SdkProvider>
      </QueryClientProvider>
    )
    const { result } = renderHook(() => useAPI('GET /a'), { wrapper })
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    expect(
      queryClient
        .getQueryCache()
        .getAll()
        .map(({ queryKey }) => queryKey[0]),
    ).toContain('GET /a')
  })
})

describe('useAPI with a GET route and an AuthProvider', () => {
  it('promise 9: sends one request with the token after auth has loaded', async () => {
    const headers: unknown[] = []
    app.routes['GET /a'] = (request, response) => {
      headers.push(request.headers.authorization)
      respond(200, 1)(request, response)
    }
    const auth = createFakeAuth()
    const { result } = renderHook(() => useAPI('GET /a'), { wrapper: auth.Providers, reactStrictMode: true })
    expect(result.current).toMatchObject({ isLoading: true, isFetching: false })
    await act(async () => expect(await result.current.refetch()).toBeUndefined())
    expect(app.requests).toEqual([])
    act(() => auth.become('ada'))
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    expect(headers).toEqual(['Bearer token-of-ada'])
  })

  it('promise 9: never shows the data of one user to another', async () => {
    app.routes['GET /a'] = (request, response) =>
      respond(200, request.headers.authorization ?? 'nobody')(request, response)
    const auth = createFakeAuth()
    auth.become('ada')
    const seen: unknown[] = []
    const { result } = renderHook(
      () => {
        const { data } = useAPI('GET /a')
        seen.push([auth.snapshot().user?.id ?? null, data])
        return data
      },
      { wrapper: auth.Providers },
    )
    await waitFor(() => expect(result.current).toBe('Bearer token-of-ada'))
    act(() => auth.become('bob'))
    await waitFor(() => expect(result.current).toBe('Bearer token-of-bob'))
    act(() => auth.become(null))
    await waitFor(() => expect(result.current).toBe('nobody'))
    expect(seen).not.toContainEqual(['bob', 'Bearer token-of-ada'])
    expect(seen).not.toContainEqual([null, 'Bearer token-of-bob'])
  })
})
