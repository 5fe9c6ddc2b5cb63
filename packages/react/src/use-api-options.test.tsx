// @vitest-environment happy-dom
import { once } from 'node:events'
import { act, render, renderHook, screen, waitFor } from '@testing-library/react'
import { Component, Suspense, type ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { respond, createFakeAuth, createGate, Sdk, startTestApp } from './app.test.fixture.tsx'
import { useAPI } from './use-api.ts'

const app = startTestApp()

describe('useAPI with the options of a GET route', () => {
  it('returns the data of select and renders only when it changes', async () => {
    app.routes['GET /a'] = respond(200, { title: 'tea', seen: 1 })
    let renders = 0
    const { result } = renderHook(
      () => {
        renders++
        const { data, refetch } = useAPI('GET /a', { select: (task) => (task as { title: string }).title })
        return { data, refetch }
      },
      { wrapper: Sdk },
    )
    await waitFor(() => expect(result.current.data).toBe('tea'))
    const before = renders
    app.routes['GET /a'] = respond(200, { title: 'tea', seen: 2 })
    await act(async () => expect(await result.current.refetch()).toBe('tea'))
    expect(result.current.data).toBe('tea')
    expect(renders - before).toBeLessThanOrEqual(2) // isFetching, on and off
  })

  it('shows the previous data of the same route with keepPreviousData', async () => {
    const gate = createGate()
    app.routes['GET /a/1'] = respond(200, 'one')
    app.routes['GET /a/2'] = async (request, response) => {
      await gate.opened
      respond(200, 'two')(request, response)
    }
    app.routes['GET /b/2'] = () => {}
    const { result, rerender } = renderHook(
      ({ route, id }) => useAPI(route as 'GET /a/:id', { params: { id }, keepPreviousData: true }),
      { wrapper: Sdk, initialProps: { route: 'GET /a/:id', id: 1 } },
    )
    await waitFor(() => expect(result.current.data).toBe('one'))
    rerender({ route: 'GET /a/:id', id: 2 })
    expect(result.current).toMatchObject({ data: 'one', isLoading: false, isFetching: true })
    gate.open()
    await waitFor(() => expect(result.current.data).toBe('two'))
    rerender({ route: 'GET /b/:id', id: 2 })
    expect(result.current).toMatchObject({ data: undefined, isLoading: true })
  })

  it('promise 9: shows no data of another user with keepPreviousData', async () => {
    app.routes['GET /a'] = (request, response) => {
      if (request.headers.authorization === 'Bearer token-of-ada') respond(200, 'of ada')(request, response)
    }
    const auth = createFakeAuth()
    auth.become('ada')
    const { result } = renderHook(() => useAPI('GET /a', { keepPreviousData: true }), { wrapper: auth.Providers })
    await waitFor(() => expect(result.current.data).toBe('of ada'))
    act(() => auth.become('bob'))
    expect(result.current).toMatchObject({ data: undefined, isLoading: true })
  })

  it('promise 1: calls the latest onSuccess and onError once per request, but not after cancel', async () => {
    app.routes['GET /a'] = respond(200, 1)
    const seen: unknown[] = []
    const { result, rerender } = renderHook(
      ({ name }) =>
        useAPI('GET /a', {
          onSuccess: (data) => seen.push([name, data]),
          onError: (error) => seen.push([name, error.code]),
        }),
      { wrapper: Sdk, initialProps: { name: 'old' }, reactStrictMode: true },
    )
    rerender({ name: 'new' })
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    app.routes['GET /a'] = respond(404, {})
    await act(() => result.current.refetch().catch(() => {}))
    app.routes['GET /a'] = () => {}
    const stopped = result.current.refetch()
    await waitFor(() => expect(app.requests).toHaveLength(3))
    act(() => {
      result.current.cancel()
    })
    await act(() => stopped)
    expect(seen).toEqual([
      ['new', 1],
      ['new', 'NOT_FOUND'],
    ])
    expect(app.requests).toHaveLength(3)
  })

  it('stops the first request on cancel without an error', async () => {
    const aborted = createGate()
    app.routes['GET /a'] = (_request, response) => once(response, 'close').then(() => aborted.open())
    const { result } = renderHook(() => useAPI('GET /a'), { wrapper: Sdk })
    await waitFor(() => expect(app.requests).toHaveLength(1))
    const refetched = result.current.refetch()
    act(() => {
      result.current.cancel()
    })
    await aborted.opened
    await expect(refetched).rejects.toMatchObject({ name: 'AbortError' })
    await waitFor(() => expect(result.current).toMatchObject({ status: 'idle', isFetching: false, error: null }))
  })

  it('stops the request without an error when its signal is aborted', async () => {
    const aborted = createGate()
    app.routes['GET /a'] = (_request, response) => once(response, 'close').then(() => aborted.open())
    const controller = new AbortController()
    const { result } = renderHook(() => useAPI('GET /a', { signal: controller.signal }), { wrapper: Sdk })
    await waitFor(() => expect(app.requests).toHaveLength(1))
    act(() => controller.abort())
    await aborted.opened
    await waitFor(() => expect(result.current).toMatchObject({ status: 'idle', isFetching: false, error: null }))
  })

  it('does not stop a later request with an old signal', async () => {
    app.routes['GET /a'] = respond(200, 1)
    const controller = new AbortController()
    const { result, rerender } = renderHook(({ signal }) => useAPI('GET /a', { signal }), {
      wrapper: Sdk,
      initialProps: { signal: controller.signal },
    })
    await waitFor(() => expect(result.current.data).toBe(1))
    rerender({ signal: new AbortController().signal })
    const gate = createGate()
    app.routes['GET /a'] = (request, response) => gate.opened.then(() => respond(200, 2)(request, response))
    act(() => void result.current.refetch())
    await waitFor(() => expect(app.requests).toHaveLength(2))
    controller.abort()
    gate.open()
    await waitFor(() => expect(result.current.data).toBe(2))
  })

  it('passes retry and timeoutMs to the client', async () => {
    app.routes['GET /a'] = (request, response) => {
      response.setHeader('retry-after', '0')
      respond(app.requests.length < 3 ? 503 : 200, 'there')(request, response)
    }
    const { result } = renderHook(() => useAPI('GET /a', { retry: 2 }), { wrapper: Sdk })
    await waitFor(() => expect(result.current.data).toBe('there'), { timeout: 10_000 })
    app.requests = []
    app.routes['GET /b'] = respond(503, {})
    const never = renderHook(() => useAPI('GET /b', { retry: false }), { wrapper: Sdk })
    await waitFor(() => expect(never.result.current.isError).toBe(true))
    expect(app.requests).toEqual(['GET /b'])
    app.routes['GET /c'] = () => {}
    const late = renderHook(() => useAPI('GET /c', { timeoutMs: 20 }), { wrapper: Sdk })
    await waitFor(() => expect(late.result.current.error).toMatchObject({ code: 'TIMEOUT' }))
  })

  it('accepts a bigint in the query', async () => {
    app.routes['GET /a'] = respond(200, 1)
    const { result } = renderHook(() => useAPI('GET /a', { query: { id: 2n ** 64n } }), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    expect(app.requests).toEqual(['GET /a?id=18446744073709551616'])
  })
})

describe('suspense', () => {
  const Part = (): ReactNode => {
    const { data } = useAPI('GET /a', { suspense: true })
    return <b>{JSON.stringify(data)}</b>
  }
  const page = (
    <Boundary>
      <Suspense fallback="waiting">
        <Part />
      </Suspense>
    </Boundary>
  )

  it('waits for the first data, with one request', async () => {
    const gate = createGate()
    app.routes['GET /a'] = (request, response) => gate.opened.then(() => respond(200, { n: 1 })(request, response))
    render(<Sdk>{page}</Sdk>)
    expect(screen.getByText('waiting')).toBeDefined()
    gate.open()
    expect(await screen.findByText('{"n":1}')).toBeDefined()
    expect(app.requests).toEqual(['GET /a'])
  })

  it('throws an error to the nearest boundary', async () => {
    app.routes['GET /a'] = respond(404, { error: { code: 'NOT_FOUND', message: 'no such task', details: [] } })
    render(<Sdk>{page}</Sdk>)
    expect(await screen.findByText('failed: no such task')).toBeDefined()
    expect(app.requests).toEqual(['GET /a'])
  })

  it('promise 9: sends nothing before auth has loaded', async () => {
    app.routes['GET /a'] = (request, response) => respond(200, request.headers.authorization)(request, response)
    const auth = createFakeAuth()
    render(<auth.Providers>{page}</auth.Providers>)
    await new Promise(setImmediate)
    expect(app.requests).toEqual([])
    act(() => auth.become('ada'))
    expect(await screen.findByText('"Bearer token-of-ada"')).toBeDefined()
    expect(app.requests).toEqual(['GET /a'])
  })
})

class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }
  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }
  override render(): ReactNode {
    return this.state.error === null ? this.props.children : `failed: ${this.state.error.message}`
  }
}
