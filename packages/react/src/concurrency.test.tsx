// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import { QueryClient, useIsMutating } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import {
  respond,
  begin,
  createFakeAuth,
  createGate,
  createStream,
  echo,
  Sdk,
  startTestApp,
  type Gate,
} from './app.test.fixture.tsx'
import { SdkProvider } from './sdk-provider.tsx'
import { useAPI } from './use-api.ts'

const app = startTestApp()

/** Makes every request wait for a separate gate. */
function holdEach(route: string): Gate[] {
  const gates = [createGate(), createGate(), createGate()]
  let count = 0
  app.routes[route] = async (request, response) => {
    await gates[count++]?.opened
    await echo(request, response)
  }
  return gates
}

describe('concurrency', () => {
  it('promise 15: latest stops the previous invoke', async () => {
    const gates = holdEach('POST /a')
    const { result } = renderHook(() => useAPI('POST /a', { concurrency: 'latest' }), { wrapper: Sdk })
    const first = begin(() => result.current.invoke(1))
    await waitFor(() => expect(app.requests).toHaveLength(1))
    const second = begin(() => result.current.invoke(2))
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })
    gates[1]?.open()
    expect(await second).toBe(2)
    await waitFor(() => expect(result.current).toMatchObject({ isSuccess: true, data: 2, error: null }))
  })

  it('promise 15: queue runs each invoke after the previous one, even if that fails', async () => {
    const gates = holdEach('POST /a')
    const { result } = renderHook(() => useAPI('POST /a', { concurrency: 'queue' }), { wrapper: Sdk })
    const first = begin(() => result.current.invoke(1))
    const second = begin(() => result.current.invoke(2))
    const third = begin(() => result.current.invoke(3))
    await waitFor(() => expect(app.requests).toHaveLength(1))
    await new Promise(setImmediate)
    expect(app.requests).toHaveLength(1)
    await act(async () => {
      gates[0]?.open()
      expect(await first).toBe(1)
    })
    await waitFor(() => expect(app.requests).toHaveLength(2))
    expect(result.current.isLoading).toBe(true)
    await act(async () => {
      gates[1]?.open()
      expect(await second).toBe(2)
      gates[2]?.open()
      expect(await third).toBe(3)
    })
    expect(result.current).toMatchObject({ isSuccess: true, data: 3 })
    app.routes['POST /a'] = respond(409, {})
    const failing = begin(() => result.current.invoke(4))
    const after = begin(() => result.current.invoke(5))
    await act(async () => expect(failing).rejects.toMatchObject({ code: 'CONFLICT' }))
    await act(async () => expect(after).rejects.toMatchObject({ code: 'CONFLICT' }))
  })

  it('queue stops running and pending calls on cancel', async () => {
    app.routes['POST /a'] = () => {}
    const { result } = renderHook(() => useAPI('POST /a', { concurrency: 'queue' }), { wrapper: Sdk })
    const calls = [1, 2].map((n) => begin(() => result.current.invoke(n)))
    await waitFor(() => expect(app.requests).toHaveLength(1))
    act(() => {
      result.current.cancel()
    })
    for (const call of calls) await act(async () => expect(call).rejects.toMatchObject({ name: 'AbortError' }))
    expect(app.requests).toHaveLength(1)
    expect(result.current).toMatchObject({ status: 'idle', error: null })
  })

  it('promise 14: parallel runs streams concurrently and stops all of them on unmount', async () => {
    const streams = [createStream(), createStream()]
    let count = 0
    app.routes['POST /a'] = (request, response) => streams[count++]?.handler(request, response)
    const { result, unmount } = renderHook(() => useAPI('POST /a', { concurrency: 'parallel' }), { wrapper: Sdk })
    const first = begin(() => result.current.invoke({}))
    const started = await streams[0]?.started
    started?.write('1\n')
    await waitFor(() => expect(result.current.data).toEqual([1]))
    act(() => void result.current.invoke({}))
    const second = await streams[1]?.started
    second?.write('2\n')
    await waitFor(() => expect(result.current.data).toEqual([2]))
    started?.end()
    expect(await first).toEqual([1])
    expect(result.current).toMatchObject({ data: [2], isStreaming: true })
    unmount()
    await streams[1]?.gone
  })
})

describe('invoke', () => {
  it('accepts only options if the route has no payload', async () => {
    const bodies: string[] = []
    app.routes['*'] = async (request, response) => {
      let body = ''
      for await (const part of request) body += String(part)
      bodies.push(body)
      respond(200, request.headers['x-a'] ?? null)(request, response)
    }
    const { result } = renderHook(() => useAPI('DELETE /a/:id', { headers: { 'x-a': 'hook' } }), { wrapper: Sdk })
    await act(async () => expect(await result.current.invoke({ params: { id: 7 } })).toBe('hook'))
    await act(() => result.current.invoke({ params: { id: 8 }, headers: { 'x-a': 'own' }, query: { force: true } }))
    expect(result.current.data).toBe('own')
    expect(app.requests).toEqual(['DELETE /a/7', 'DELETE /a/8?force=true'])
    expect(bodies).toEqual(['', ''])
  })

  it('rejects with the exposed error, even if nothing could be sent', async () => {
    const { result } = renderHook(() => useAPI('DELETE /a/:id'), { wrapper: Sdk })
    const thrown = await act(() => result.current.invoke().catch((error: unknown) => error))
    expect(result.current.error).toBe(thrown)
    expect(thrown).toMatchObject({ code: 'INVALID_REQUEST', cause: expect.any(TypeError) })
  })

  it('is aborted by the signal of the hook or of the call', async () => {
    app.routes['POST /a'] = () => {}
    const [hook, own] = [new AbortController(), new AbortController()]
    const { result } = renderHook(() => useAPI('POST /a', { signal: hook.signal }), { wrapper: Sdk })
    const first = begin(() => result.current.invoke(1, { signal: own.signal }))
    own.abort()
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })
    const second = begin(() => result.current.invoke(2))
    hook.abort()
    await expect(second).rejects.toMatchObject({ name: 'AbortError' })
    await waitFor(() => expect(result.current).toMatchObject({ status: 'idle', error: null }))
  })

  it('appears in the MutationCache with its route as the key', async () => {
    const gates = holdEach('POST /a')
    const queryClient = new QueryClient()
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <SdkProvider queryClient={queryClient}>{children}</SdkProvider>
    )
    const { result } = renderHook(() => ({ ...useAPI('POST /a'), count: useIsMutating() }), { wrapper })
    const call = begin(() => result.current.invoke({ title: 'tea' }))
    await waitFor(() => expect(result.current.count).toBe(1))
    gates[0]?.open()
    await act(() => call)
    await waitFor(() => expect(result.current.count).toBe(0))
    expect(queryClient.getMutationCache().getAll()).toMatchObject([
      { options: { mutationKey: ['POST /a'] }, state: { status: 'success', variables: { title: 'tea' } } },
    ])
  })

  it('promise 18: resets its state for another route', async () => {
    app.routes['*'] = (request, response) => respond(200, request.url)(request, response)
    const { result, rerender } = renderHook(({ route }) => useAPI(route as 'POST /a'), {
      wrapper: Sdk,
      initialProps: { route: 'POST /a' },
    })
    await act(() => result.current.invoke({}))
    expect(result.current.data).toBe('/a')
    rerender({ route: 'PUT /b' })
    expect(result.current).toMatchObject({ status: 'idle', data: undefined })
    await act(() => result.current.invoke({}))
    expect(result.current.data).toBe('/b')
  })

  it('promise 9: does not show the data of one user to the next', async () => {
    app.routes['POST /a'] = (request, response) => respond(200, request.headers.authorization)(request, response)
    const auth = createFakeAuth()
    auth.become('ada')
    const { result } = renderHook(() => useAPI('POST /a'), { wrapper: auth.Providers })
    await act(() => result.current.invoke({}))
    expect(result.current.data).toBe('Bearer token-of-ada')
    act(() => auth.become('bob'))
    expect(result.current).toMatchObject({ status: 'idle', data: undefined })
    await act(() => result.current.invoke({}))
    expect(result.current.data).toBe('Bearer token-of-bob')
  })

  it('promise 9: does not send queued calls for the next user', async () => {
    const senders: unknown[] = []
    const gate = createGate()
    app.routes['POST /a'] = async (request, response) => {
      senders.push(request.headers.authorization)
      await gate.opened
      await echo(request, response)
    }
    const auth = createFakeAuth()
    auth.become('ada')
    const { result } = renderHook(() => useAPI('POST /a', { concurrency: 'queue' }), { wrapper: auth.Providers })
    const [first, second] = [1, 2].map((n) => begin(() => result.current.invoke(n)))
    await waitFor(() => expect(senders).toHaveLength(1))
    act(() => auth.become('bob'))
    const third = begin(() => result.current.invoke(3))
    gate.open()
    expect(await first).toBe(1)
    await expect(second).rejects.toMatchObject({ name: 'AbortError' })
    expect(await act(() => third)).toBe(3)
    expect(senders).toEqual(['Bearer token-of-ada', 'Bearer token-of-bob'])
    expect(result.current).toMatchObject({ status: 'success', data: 3 })
  })

  it('promise 9: does not call onSuccess with late data of the previous user', async () => {
    const gates = holdEach('POST /a')
    const received: unknown[] = []
    const auth = createFakeAuth()
    const { result } = renderHook(() => useAPI('POST /a', { onSuccess: (data) => received.push(data) }), {
      wrapper: auth.Providers,
    })
    act(() => auth.become(null))
    const ofGuest = begin(() => result.current.invoke('of nobody'))
    await waitFor(() => expect(app.requests).toHaveLength(1))
    act(() => auth.become('ada'))
    gates[0]?.open()
    expect(await act(() => ofGuest)).toBe('of nobody')
    const ofAda = begin(() => result.current.invoke('of Ada'))
    await waitFor(() => expect(app.requests).toHaveLength(2))
    act(() => auth.become('bob'))
    gates[1]?.open()
    expect(await act(() => ofAda)).toBe('of Ada')
    const ofBob = begin(() => result.current.invoke('of Bob'))
    gates[2]?.open()
    expect(await act(() => ofBob)).toBe('of Bob')
    await waitFor(() => expect(received).toEqual(['of nobody', 'of Bob']))
  })
})
