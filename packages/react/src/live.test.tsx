// @vitest-environment happy-dom
import { ApiError, type Page } from '@sdk/protocol'
import { focusManager } from '@tanstack/react-query'
import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { createFakeAuth, createGate, respond } from './app.test.fixture.tsx'
import { AuthProvider } from './auth-provider.tsx'
import { LIST, startLiveTasks, titles, type Task } from './live-tasks.test.fixture.tsx'
import { SdkProvider } from './sdk-provider.tsx'
import { useAPI } from './use-api.ts'
import { usePages } from './use-pages.ts'

const live = startLiveTasks()

describe('useAPI with live: true', () => {
  it('shows every change and fetches nothing while it is live', async () => {
    const { result } = renderHook(() => useAPI(LIST, { live: true, refetchInterval: 5 }), { wrapper: live.Live })
    expect(result.current).toMatchObject({ isLive: false, data: undefined })
    await waitFor(() => expect(result.current.isLive).toBe(true))
    expect(titles(result.current.data)).toEqual(['task 1', 'task 2', 'task 3'])
    const [, second] = (result.current.data as Page<Task>).data
    live.app.requests = []
    live.commit(() => live.tasks.splice(0, 1, { id: 1, title: 'changed' }))
    await waitFor(() => expect(titles(result.current.data)).toEqual(['changed', 'task 2', 'task 3']))
    expect((result.current.data as Page<Task>).data[1]).toBe(second)
    live.commit(() => (live.tasks = [...live.tasks.slice(1), { id: 9, title: 'new' }]))
    await waitFor(() => expect(titles(result.current.data)).toEqual(['task 2', 'task 3', 'new']))
    act(() => {
      focusManager.setFocused(false)
      focusManager.setFocused(true)
      window.dispatchEvent(new Event('online'))
    })
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(live.app.requests).toEqual([])
    expect(live.server.requests.filter((request) => 'sync' in request)).toEqual([])
    focusManager.setFocused(undefined)
  })

  it('shows a single item', async () => {
    const { result } = renderHook(() => useAPI('GET /tasks/:id', { params: { id: 2 }, live: true }), {
      wrapper: live.Live,
    })
    await waitFor(() => expect(result.current.isLive).toBe(true))
    live.commit(() => (live.tasks[1] = { id: 2, title: 'two' }))
    await waitFor(() => expect(result.current.data).toEqual({ id: 2, title: 'two' }))
  })

  it('shares one subscription and one socket, and closes it after the last component', async () => {
    const useBoth = (): unknown => [useAPI(LIST, { live: true }), useAPI(LIST, { live: true, select: titles })]
    const one = renderHook(useBoth, { wrapper: live.Live, reactStrictMode: true })
    const two = renderHook(() => useAPI(LIST, { query: { limit: 1 }, live: true }), { wrapper: live.Live })
    await waitFor(() => expect(two.result.current.isLive).toBe(true))
    expect(live.subscribed()).toEqual([
      { sub: expect.any(Number), route: LIST, query: {} },
      { sub: expect.any(Number), route: LIST, query: { limit: '1' } },
    ])
    expect(live.server.sockets.map(({ url }) => url)).toEqual([`${live.app.url.replace('http', 'ws')}/ws/_live`])
    one.unmount()
    await waitFor(() => expect(live.server.requests.filter((request) => 'end' in request)).toHaveLength(1))
    expect(live.server.sockets[0]?.isClosed).toBe(false)
    two.unmount()
    await waitFor(() => expect(live.server.sockets[0]?.isClosed).toBe(true), { timeout: 3000 })
  })

  it('opens no socket without a live query', async () => {
    const { result } = renderHook(() => useAPI(LIST, { live: false }), { wrapper: live.Live })
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    expect(result.current.isLive).toBe(false)
    expect(live.server.sockets).toEqual([])
  })

  it('throws without live data in the provider', () => {
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => <SdkProvider>{children}</SdkProvider>
    const message = 'live must be used within <SdkProvider live>'
    expect(() => renderHook(() => useAPI(LIST, { live: true }), { wrapper })).toThrow(new TypeError(message))
    expect(() => renderHook(() => usePages(LIST, { live: true }), { wrapper })).toThrow(new TypeError(message))
  })

  it('opens no socket during server rendering', async () => {
    const List = (): ReactNode => String(useAPI(LIST, { live: true }).isLive)
    expect(renderToString(<live.Live>{<List />}</live.Live>)).toBe('false')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(live.server.sockets).toEqual([])
  })

  it('is not overwritten by a response that is older', async () => {
    const gate = createGate()
    live.app.routes[LIST] = (request, response) => gate.opened.then(() => respond(200, { data: [] })(request, response))
    const { result } = renderHook(() => useAPI(LIST, { live: true }), { wrapper: live.Live })
    await waitFor(() => expect(result.current.isLive).toBe(true))
    gate.open()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(titles(result.current.data)).toEqual(['task 1', 'task 2', 'task 3'])
    expect(result.current).toMatchObject({ status: 'success', isFetching: false })
  })

  it('subscribes again after a reconnect, and then shows what changed in the meantime', async () => {
    const { result } = renderHook(() => useAPI(LIST, { live: true }), { wrapper: live.Live })
    await waitFor(() => expect(result.current.isLive).toBe(true))
    act(() => live.server.cut())
    expect(result.current.isLive).toBe(false)
    expect(titles(result.current.data)).toEqual(['task 1', 'task 2', 'task 3'])
    live.tasks = live.tasks.slice(1)
    await waitFor(() => expect(result.current.isLive).toBe(true), { timeout: 3000 })
    expect(titles(result.current.data)).toEqual(['task 2', 'task 3'])
    expect(live.subscribed()).toHaveLength(2)
    expect(live.subscribed()[1]).toHaveProperty('has')
  })

  it('requests fresh data on refetch without a request', async () => {
    const { result } = renderHook(() => useAPI(LIST, { live: true }), { wrapper: live.Live })
    await waitFor(() => expect(result.current.isLive).toBe(true))
    live.app.requests = []
    live.tasks = live.tasks.slice(0, 1)
    await act(async () => expect(titles(await result.current.refetch())).toEqual(['task 1']))
    await waitFor(() => expect(titles(result.current.data)).toEqual(['task 1']))
    expect(live.app.requests).toEqual([])
  })

  it('removes the data and shows the error when access ends, until the data is requested again', async () => {
    const { result } = renderHook(() => useAPI(LIST, { live: true }), { wrapper: live.Live })
    await waitFor(() => expect(result.current.isLive).toBe(true))
    live.app.routes[LIST] = respond(403, {})
    live.commit(() => (live.refusal = new ApiError('FORBIDDEN', 'not yours')))
    await waitFor(() => expect(result.current.isError).toBe(true))
    expect(result.current).toMatchObject({
      data: undefined,
      isLive: false,
      error: { status: 403, message: 'not yours' },
    })
    live.refusal = undefined
    act(() => void result.current.refetch())
    await waitFor(() => expect(result.current.isLive).toBe(true))
    expect(titles(result.current.data)).toEqual(['task 1', 'task 2', 'task 3'])
    expect(result.current.error).toBe(null)
  })

  it('shows the error if the resource is not live', async () => {
    live.refusal = new ApiError('NOT_LIVE', 'tasks must have live: true', { status: 400 })
    const { result } = renderHook(() => useAPI(LIST, { live: true }), { wrapper: live.Live })
    await waitFor(() => expect(result.current.error).toMatchObject({ code: 'NOT_LIVE', status: 400 }))
    expect(result.current).toMatchObject({ data: undefined, isLive: false })
  })

  it('subscribes as the next user, and never shows the data of the previous one', async () => {
    const auth = createFakeAuth()
    const shown: unknown[] = []
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <AuthProvider source={auth}>
        <live.Live>{children}</live.Live>
      </AuthProvider>
    )
    auth.become('ada')
    const { result } = renderHook(
      () => {
        const list = useAPI(LIST, { live: true })
        shown.push([auth.snapshot().user?.id, titles(list.data)?.[0]])
        return list
      },
      { wrapper },
    )
    await waitFor(() => expect(result.current.isLive).toBe(true))
    live.tasks = [{ id: 4, title: 'of bob' }]
    act(() => auth.become('bob'))
    expect(result.current).toMatchObject({ data: undefined, isLive: false, error: null })
    await waitFor(() => expect(result.current.isLive).toBe(true))
    expect(titles(result.current.data)).toEqual(['of bob'])
    expect(live.server.sockets.map(({ protocols }) => protocols[1])).toEqual([
      'sdk.token.token-of-ada',
      'sdk.token.token-of-bob',
    ])
    expect(live.server.sockets.map(({ isClosed }) => isClosed)).toEqual([true, false])
    expect(shown).not.toContainEqual(['bob', 'task 1'])
  })
})
