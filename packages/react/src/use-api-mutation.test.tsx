// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { respond, createFakeAuth, createGate, echo, Sdk, startTestApp } from './app.test.fixture.tsx'
import { useAPI } from './use-api.ts'

const app = startTestApp()

const unhandled = vi.fn<(reason: unknown) => void>()
beforeEach(() => void process.on('unhandledRejection', unhandled.mockClear()))
afterEach(() => void process.off('unhandledRejection', unhandled))

describe('useAPI with a POST route', () => {
  it('sends nothing by itself and exposes the status of an invoke', async () => {
    app.routes['POST /agent/echo'] = echo
    const { result } = renderHook(() => useAPI('POST /agent/echo'), { wrapper: Sdk, reactStrictMode: true })
    expect(result.current).toMatchObject({
      status: 'idle',
      data: undefined,
      error: null,
      isLoading: false,
      isSuccess: false,
      isError: false,
    })
    let promise: Promise<unknown> = Promise.resolve()
    act(() => void (promise = result.current.invoke({ text: 'hi' })))
    expect(result.current).toMatchObject({ status: 'loading', isLoading: true })
    await act(async () => expect(await promise).toEqual({ text: 'hi' }))
    expect(result.current).toMatchObject({ status: 'success', isSuccess: true, isLoading: false, data: { text: 'hi' } })
    expect(result.current).not.toHaveProperty('refetch')
    expect(app.requests).toEqual(['POST /agent/echo'])
  })

  it('returns the same invoke, cancel and reset in every render', () => {
    const { result, rerender } = renderHook(() => useAPI('POST /a', { onChunk: () => {} }), { wrapper: Sdk })
    const { invoke, cancel, reset } = result.current
    rerender()
    expect([result.current.invoke, result.current.cancel, result.current.reset]).toEqual([invoke, cancel, reset])
  })

  it('combines params, query and headers of the hook and the invoke', async () => {
    app.routes['*'] = (request, response) => respond(200, request.headers['x-a'])(request, response)
    const { result } = renderHook(
      () => useAPI('PATCH /a/:id', { query: { v: 1 }, headers: { 'x-a': 'hook', 'x-b': 'hook' } }),
      { wrapper: Sdk },
    )
    await act(() => result.current.invoke({ done: true }, { params: { id: 7 }, headers: { 'x-a': 'invoke' } }))
    expect(app.requests).toEqual(['PATCH /a/7?v=1'])
    expect(result.current.data).toBe('invoke')
  })

  it('rejects with the exposed error, without unhandled rejections', async () => {
    app.routes['POST /a'] = respond(400, {
      error: { code: 'INVALID_REQUEST', message: 'title is required', details: [] },
    })
    const { result } = renderHook(() => useAPI('POST /a'), { wrapper: Sdk })
    act(() => void result.current.invoke({}))
    await waitFor(() => expect(result.current.isError).toBe(true))
    expect(result.current).toMatchObject({
      isSuccess: false,
      isLoading: false,
      error: { code: 'INVALID_REQUEST', status: 400, message: 'title is required' },
    })
    const thrown = await act(() => result.current.invoke({}).catch((error: unknown) => error))
    expect(result.current.error).toBe(thrown)
    await new Promise(setImmediate)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('treats a 2xx payload with a member "error" as a success', async () => {
    app.routes['POST /a'] = respond(200, { error: 'sign in first' })
    const { result } = renderHook(() => useAPI('POST /a'), { wrapper: Sdk })
    await act(() => result.current.invoke({}))
    expect(result.current).toMatchObject({ isSuccess: true, isError: false, data: { error: 'sign in first' } })
  })

  it('promise 15: shows the newest invoke, while each promise resolves with its own data', async () => {
    const gates = [createGate(), createGate()]
    let count = 0
    app.routes['POST /a'] = async (request, response) => {
      await gates[count++]?.opened
      await echo(request, response)
    }
    const { result } = renderHook(() => useAPI('POST /a'), { wrapper: Sdk })
    let first: Promise<unknown> = Promise.resolve()
    let second: Promise<unknown> = Promise.resolve()
    act(() => void (first = result.current.invoke('first')))
    await waitFor(() => expect(app.requests).toHaveLength(1))
    act(() => void (second = result.current.invoke('second')))
    await waitFor(() => expect(app.requests).toHaveLength(2))
    gates[1]?.open()
    await act(async () => expect(await second).toBe('second'))
    gates[0]?.open()
    await act(async () => expect(await first).toBe('first'))
    expect(result.current).toMatchObject({ isSuccess: true, data: 'second' })
  })

  it('calls the latest onSuccess or onError after every invoke, but not after cancel', async () => {
    const seen: unknown[] = []
    const { result, rerender } = renderHook(
      ({ name }) =>
        useAPI('POST /a', {
          onSuccess: (data) => seen.push([name, data]),
          onError: (error) => seen.push([name, error.code]),
        }),
      { wrapper: Sdk, initialProps: { name: 'old' } },
    )
    rerender({ name: 'new' })
    app.routes['POST /a'] = echo
    await act(() => result.current.invoke(1))
    app.routes['POST /a'] = respond(409, {})
    await act(() => result.current.invoke(2).catch(() => {}))
    app.routes['POST /a'] = () => {}
    const stopped = result.current.invoke(3)
    await waitFor(() => expect(app.requests).toHaveLength(3))
    act(() => {
      result.current.cancel()
    })
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
    expect(seen).toEqual([
      ['new', 1],
      ['new', 'CONFLICT'],
    ])
    expect(result.current).toMatchObject({ status: 'idle', data: 1, error: null })
  })

  it('is cleared by reset and ignores a later response', async () => {
    const gate = createGate()
    app.routes['POST /a'] = async (request, response) => {
      await gate.opened
      await echo(request, response)
    }
    const { result } = renderHook(() => useAPI('POST /a'), { wrapper: Sdk })
    let promise: Promise<unknown> = Promise.resolve()
    act(() => void (promise = result.current.invoke(1)))
    act(() => {
      result.current.reset()
    })
    gate.open()
    await act(async () => expect(await promise).toBe(1))
    expect(result.current).toMatchObject({ status: 'idle', data: undefined, error: null, isLoading: false })
  })

  it('promise 3: finishes a non-streaming request after unmount', async () => {
    const gate = createGate()
    app.routes['POST /a'] = async (request, response) => {
      await gate.opened
      await echo(request, response)
    }
    const { result, unmount } = renderHook(() => useAPI('POST /a'), { wrapper: Sdk })
    let promise: Promise<unknown> = Promise.resolve()
    act(() => void (promise = result.current.invoke('written')))
    await waitFor(() => expect(app.requests).toHaveLength(1))
    unmount()
    gate.open()
    expect(await promise).toBe('written')
  })

  it('promise 9: waits until auth has loaded', async () => {
    app.routes['POST /a'] = (request, response) => respond(200, request.headers.authorization)(request, response)
    const auth = createFakeAuth()
    const { result } = renderHook(() => useAPI('POST /a'), { wrapper: auth.Providers })
    let promise: Promise<unknown> = Promise.resolve()
    act(() => void (promise = result.current.invoke({})))
    await new Promise(setImmediate)
    expect(app.requests).toEqual([])
    act(() => auth.become('ada'))
    await act(async () => expect(await promise).toBe('Bearer token-of-ada'))
  })

  it('promise 18: can change from GET to POST and back between renders', async () => {
    app.routes['GET /a'] = respond(200, 'got')
    app.routes['POST /a'] = respond(200, 'posted')
    const { result, rerender } = renderHook(({ route }) => useAPI(route) as unknown as Record<string, unknown>, {
      wrapper: Sdk,
      initialProps: { route: 'GET /a' },
    })
    await waitFor(() => expect(result.current['data']).toBe('got'))
    rerender({ route: 'POST /a' })
    expect(result.current).toMatchObject({ status: 'idle', data: undefined })
    await act(() => (result.current['invoke'] as () => Promise<unknown>)())
    expect(result.current['data']).toBe('posted')
    rerender({ route: 'GET /a' })
    await waitFor(() => expect(result.current['data']).toBe('got'))
  })
})
