// @vitest-environment happy-dom
import { createClient } from '@sdk/frontend'
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFakeAuth } from './app.test.fixture.tsx'
import { AuthProvider } from './auth-provider.tsx'
import { createFakeWebSockets } from './fake-web-socket.test.fixture.ts'
import { SdkProvider } from './sdk-provider.tsx'
import { useWebsocket } from './use-websocket.ts'

let fake = createFakeWebSockets()
let client = createClient()

beforeEach(() => {
  fake = createFakeWebSockets()
  client = createClient({ baseUrl: 'http://x.dev', WebSocket: fake.WebSocket })
})
afterEach(cleanup)

const Sdk = ({ children }: { children: ReactNode }): ReactNode => <SdkProvider client={client}>{children}</SdkProvider>

function messages(): unknown[] {
  return fake.sockets.flatMap(({ sent }) => sent.filter(({ o }) => o === 'm'))
}

describe('useWebsocket', () => {
  it('connects, sends and receives, with the fields of the specification', async () => {
    const { result } = renderHook(() => useWebsocket('/ws/chat'), { wrapper: Sdk })
    expect(result.current).toMatchObject({
      isConnected: false,
      data: undefined,
      messages: [],
      error: null,
      readyState: 0,
      pending: 0,
    })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    expect(result.current).toMatchObject({ readyState: 1, status: 'open' })
    expect(fake.sockets[0]?.url).toBe('ws://x.dev/ws/chat')
    expect(result.current.send({ text: 'hi' })).toBe(true)
    expect(messages()).toEqual([{ o: 'm', i: 1, d: { text: 'hi' } }])
    fake.sockets[0]?.deliver({ o: 'm', i: 1, d: 'a' })
    fake.sockets[0]?.deliver({ o: 'm', i: 2, d: 'b' })
    await waitFor(() => expect(result.current).toMatchObject({ data: 'b', messages: ['a', 'b'] }))
    act(() => result.current.clearMessages())
    expect(result.current).toMatchObject({ data: 'b', messages: [] })
  })

  it('opens one socket in StrictMode and for three components', async () => {
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <Sdk>
        <Part />
        <Part />
        {children}
      </Sdk>
    )
    const { result } = renderHook(() => useWebsocket('/ws/chat'), { wrapper, reactStrictMode: true })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    expect(fake.sockets).toHaveLength(1)
  })

  it('calls the latest onMessage for every message', async () => {
    const seen: string[] = []
    const { result, rerender } = renderHook(
      ({ name }) =>
        useWebsocket('/ws/chat', { onMessage: (message) => seen.push(`${name} ${JSON.stringify(message)}`) }),
      { wrapper: Sdk, initialProps: { name: 'old' } },
    )
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    fake.sockets[0]?.deliver({ o: 'm', i: 1, d: 'a' })
    rerender({ name: 'new' })
    act(() => fake.sockets[0]?.deliver({ o: 'm', i: 2, d: 'b' }))
    expect(seen).toEqual(['old "a"', 'new "b"'])
    expect(fake.sockets).toHaveLength(1)
  })

  it('calls onGap if messages were lost', async () => {
    const seen: unknown[] = []
    const { result } = renderHook(() => useWebsocket('/ws/chat', { onGap: (gap) => seen.push(gap) }), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    fake.sockets[0]?.deliver({ o: 'gap', s: 'lobby', from: 3, to: 9 })
    expect(seen).toEqual([{ room: 'lobby', from: 3, to: 9 }])
  })

  it('keeps at most maxMessages messages, without limiting pending ones', async () => {
    const { result } = renderHook(() => useWebsocket('/ws/chat', { maxMessages: 2 }), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    act(() => expect([1, 2, 3].map((n) => result.current.send(n))).toEqual([true, true, true]))
    for (const i of [1, 2, 3]) fake.sockets[0]?.deliver({ o: 'm', i, d: i })
    await waitFor(() => expect(result.current.messages).toEqual([2, 3]))
  })

  it('uses the connection options of the hook that opens it', async () => {
    const { result } = renderHook(() => useWebsocket('/ws/chat', { maxPending: 1 }), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    act(() => expect([result.current.send(1), result.current.send(2)]).toEqual([true, false]))
    await waitFor(() => expect(result.current.error).toMatchObject({ code: 'QUEUE_FULL' }))
    expect(result.current.pending).toBe(1)
  })

  it('is offline when the page is offline', async () => {
    const { result } = renderHook(() => useWebsocket('/ws/chat'), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    act(() => void dispatchEvent(new Event('offline')))
    await waitFor(() => expect(result.current).toMatchObject({ status: 'offline', isConnected: false, readyState: 0 }))
    act(() => void dispatchEvent(new Event('online')))
    await waitFor(() => expect(result.current.status).toBe('open'))
  })

  it('queues messages while it is disconnected', async () => {
    const { result } = renderHook(() => useWebsocket('/ws/chat'), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    act(() => fake.sockets[0]?.hangUp(1006))
    await waitFor(() => expect(result.current).toMatchObject({ isConnected: false, readyState: 0 }))
    expect(result.current.error).toMatchObject({ code: 'NETWORK_ERROR' })
    act(() => expect(result.current.send('later')).toBe(true))
    await waitFor(() => expect(result.current).toMatchObject({ isConnected: true, error: null }))
    expect(messages()).toEqual([{ o: 'm', i: 1, d: 'later' }])
  })

  it('closes the socket only when every hook has closed it', async () => {
    const { result } = renderHook(() => [useWebsocket('/ws/chat'), useWebsocket('/ws/chat')] as const, { wrapper: Sdk })
    await waitFor(() => expect(result.current[1].isConnected).toBe(true))
    act(() => result.current[0].close())
    expect(result.current[0]).toMatchObject({ isConnected: false, readyState: 3, status: 'closed' })
    expect(result.current[0].send('x')).toBe(false)
    expect(result.current[1].isConnected).toBe(true)
    expect(fake.sockets[0]?.isClosed).toBe(false)
    act(() => result.current[1].close())
    expect(fake.sockets[0]?.isClosed).toBe(true)
  })

  it('starts again with other params', async () => {
    const { result, rerender } = renderHook(({ id }) => useWebsocket('/ws/rooms/:id', { params: { id } }), {
      wrapper: Sdk,
      initialProps: { id: 1 },
    })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    fake.sockets[0]?.deliver({ o: 'm', i: 1, d: 'a' })
    await waitFor(() => expect(result.current.messages).toEqual(['a']))
    rerender({ id: 1 })
    expect(fake.sockets).toHaveLength(1)
    rerender({ id: 2 })
    expect(result.current).toMatchObject({ data: undefined, messages: [], isConnected: false })
    await waitFor(() => expect(fake.sockets[1]?.url).toBe('ws://x.dev/ws/rooms/2'))
  })

  it('fails with the error of the close code', async () => {
    const { result } = renderHook(() => useWebsocket('/ws/chat'), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    act(() => fake.sockets[0]?.hangUp(4403, 'FORBIDDEN: not yours'))
    await waitFor(() => expect(result.current).toMatchObject({ readyState: 3, status: 'failed' }))
    expect(result.current.error).toMatchObject({ code: 'FORBIDDEN' })
  })

  it('waits for auth, sends the token and reconnects for another user', async () => {
    const auth = createFakeAuth()
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <AuthProvider source={auth}>
        <Sdk>{children}</Sdk>
      </AuthProvider>
    )
    const { result } = renderHook(() => useWebsocket('/ws/chat'), { wrapper, reactStrictMode: true })
    act(() => expect(result.current.send('early')).toBe(true))
    await new Promise(setImmediate)
    expect(fake.sockets).toHaveLength(0)
    act(() => auth.become('ada'))
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    expect(messages()).toEqual([{ o: 'm', i: 1, d: 'early' }])
    act(() => auth.become('bob'))
    await waitFor(() => expect(fake.sockets).toHaveLength(2))
    expect(fake.sockets.map(({ protocols }) => protocols[1])).toEqual([
      'sdk.token.token-of-ada',
      'sdk.token.token-of-bob',
    ])
    await waitFor(() => expect(fake.sockets[0]?.isClosed).toBe(true))
  })

  it('opens once if its address does not change', async () => {
    const seen = new Set<unknown>()
    const { result, rerender } = renderHook(
      ({ turn }) =>
        useWebsocket('/ws/chat', { query: { after: 10n }, backoff: { base: turn }, maxMessages: turn, onMessage() {} }),
      { wrapper: Sdk, initialProps: { turn: 1 } },
    )
    for (let turn = 2; turn < 20; turn++) {
      rerender({ turn })
      for (const method of [result.current.send, result.current.close, result.current.clearMessages]) seen.add(method)
    }
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    expect(fake.sockets.map(({ url }) => url)).toEqual(['ws://x.dev/ws/chat?after=10'])
    expect(seen.size).toBe(3)
  })

  it('closes if the component unmounts before it is open', async () => {
    const { unmount } = renderHook(() => useWebsocket('/ws/chat', { lingerMs: 0 }), { wrapper: Sdk })
    unmount()
    await waitFor(() => expect(fake.sockets.map(({ isClosed }) => isClosed)).toEqual([true]))
  })

  it('delivers messages to other hooks if one callback throws', async () => {
    const errors: unknown[] = []
    const { result } = renderHook(
      () =>
        [
          useWebsocket('/ws/chat', {
            onMessage() {
              throw new Error('mine')
            },
          }),
          useWebsocket('/ws/chat'),
        ] as const,
      { wrapper: Sdk },
    )
    await waitFor(() => expect(result.current[1].isConnected).toBe(true))
    vi.stubGlobal('queueMicrotask', (run: () => void) => {
      Promise.resolve()
        .then(run)
        .catch((error: unknown) => errors.push(error))
    })
    fake.sockets[0]?.deliver({ o: 'm', i: 1, d: 'a' })
    vi.unstubAllGlobals()
    await waitFor(() => expect(result.current.map(({ messages: received }) => received)).toEqual([['a'], ['a']]))
    expect(errors).toEqual([new Error('mine')])
  })

  it('renders on a server without a page or a WebSocket', () => {
    client = createClient()
    const html = renderToString(
      <Sdk>
        <Part />
      </Sdk>,
    )
    expect(html).toBe('false')
  })

  it('throws without an SdkProvider', () => {
    expect(() => renderToString(<Part />)).toThrow(/must be used within <SdkProvider>/)
  })
})

function Part(): ReactNode {
  return String(useWebsocket('/ws/chat').isConnected)
}
