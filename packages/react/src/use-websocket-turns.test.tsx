// @vitest-environment happy-dom
import { createClient } from '@sdk/frontend'
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import { Activity, type ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeAuth } from './app.test.fixture.tsx'
import { AuthProvider } from './auth-provider.tsx'
import { createFakeWebSockets } from './fake-web-socket.test.fixture.ts'
import { SdkProvider } from './sdk-provider.tsx'
import { useAuth } from './use-auth.ts'
import { useWebsocket } from './use-websocket.ts'

let fake = createFakeWebSockets()
let client = createClient()
let auth = createFakeAuth()

beforeEach(() => {
  fake = createFakeWebSockets()
  client = createClient({ baseUrl: 'http://x.dev', WebSocket: fake.WebSocket })
  auth = createFakeAuth()
})
afterEach(cleanup)

const Sdk = ({ children }: { children: ReactNode }): ReactNode => <SdkProvider client={client}>{children}</SdkProvider>

const WithAuth = ({ children }: { children: ReactNode }): ReactNode => (
  <AuthProvider source={auth}>
    <Sdk>{children}</Sdk>
  </AuthProvider>
)

function messages(): unknown[] {
  return fake.sockets.flatMap(({ sent }) => sent.flatMap((frame) => (frame.o === 'm' ? [frame.d] : [])))
}

describe('useWebsocket with the option enabled', () => {
  it('opens when it is enabled and rejects messages before', async () => {
    const { result, rerender } = renderHook(
      ({ team }) => useWebsocket('/ws/teams/:id', { params: { id: team ?? '' }, enabled: team !== null }),
      { wrapper: Sdk, initialProps: { team: null as string | null }, reactStrictMode: true },
    )
    const off = { status: 'idle', isConnected: false, readyState: 3, pending: 0, data: undefined, messages: [] }
    expect(result.current).toMatchObject(off)
    // Otherwise, the message would be sent to the team that is selected next.
    expect(result.current.send('to whom?')).toBe(false)
    await new Promise(setImmediate)
    expect(fake.sockets).toHaveLength(0)
    rerender({ team: 'a' })
    expect(result.current.send('hello')).toBe(true)
    await waitFor(() => expect(result.current).toMatchObject({ isConnected: true, readyState: 1 }))
    expect(fake.sockets.map(({ url }) => url)).toEqual(['ws://x.dev/ws/teams/a'])
    expect(messages()).toEqual(['hello'])
    fake.sockets[0]?.deliver({ o: 'm', i: 1, d: 'secret of a' })
    await waitFor(() => expect(result.current.messages).toEqual(['secret of a']))
    rerender({ team: null })
    expect(result.current).toMatchObject(off)
    expect(result.current.send('to whom?')).toBe(false)
    await waitFor(() => expect(fake.sockets[0]?.isClosed).toBe(true))
    rerender({ team: 'b' })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    expect(fake.sockets.map(({ url }) => url)).toEqual(['ws://x.dev/ws/teams/a', 'ws://x.dev/ws/teams/b'])
    expect(messages()).toHaveLength(1)
  })

  it('keeps its connection and pending messages if it is briefly disabled', async () => {
    const received: unknown[] = []
    const { result, rerender } = renderHook(
      ({ enabled }) => useWebsocket('/ws/chat', { enabled, onMessage: (message) => received.push(message) }),
      { wrapper: Sdk, initialProps: { enabled: true }, reactStrictMode: true },
    )
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    const { send, close } = result.current
    for (let turn = 1; turn <= 5; turn++) {
      act(() => expect(send(turn)).toBe(true))
      fake.sockets[0]?.deliver({ o: 'm', i: turn * 2, d: turn })
      rerender({ enabled: false })
      fake.sockets[0]?.deliver({ o: 'm', i: turn * 2 + 1, d: 'to nobody' })
      rerender({ enabled: true })
      expect(result.current).toMatchObject({ isConnected: true, send, close, messages: [], pending: turn })
    }
    expect(fake.sockets).toHaveLength(1)
    expect(messages()).toEqual([1, 2, 3, 4, 5])
    expect(received).toEqual([1, 2, 3, 4, 5])
  })

  it('opens again if it is enabled again after close', async () => {
    const { result, rerender } = renderHook(({ enabled }) => useWebsocket('/ws/chat', { enabled }), {
      wrapper: Sdk,
      initialProps: { enabled: true },
    })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    act(() => result.current.close())
    expect(result.current.status).toBe('closed')
    rerender({ enabled: false })
    expect(result.current.status).toBe('idle')
    rerender({ enabled: true })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    expect(fake.sockets.map(({ isClosed }) => isClosed)).toEqual([true, false])
  })
})

describe('useWebsocket with another address or user', () => {
  it('never renders messages of another address or user', async () => {
    const seen = new Set<string>()
    const { result, rerender } = renderHook(
      ({ id }) => {
        const { user } = useAuth()
        const room = useWebsocket('/ws/rooms/:id', { params: { id } })
        seen.add(JSON.stringify([user?.id, id, room.isConnected, room.data, room.messages]))
        return room
      },
      { wrapper: WithAuth, initialProps: { id: 1 } },
    )
    const receive = async (index: number, message: string): Promise<void> => {
      await waitFor(() => expect(result.current.isConnected).toBe(true))
      fake.sockets[index]?.deliver({ o: 'm', i: 1, d: message })
      await waitFor(() => expect(result.current.messages).toEqual([message]))
    }
    act(() => auth.become('ada'))
    await receive(0, 'first')
    rerender({ id: 2 })
    await receive(1, 'second')
    act(() => auth.become('bob'))
    await receive(2, 'third')
    const shown = [...seen].filter((render) => !render.includes('false'))
    expect(shown).toEqual([
      '["ada",1,true,null,[]]',
      '["ada",1,true,"first",["first"]]',
      '["ada",2,true,null,[]]',
      '["ada",2,true,"second",["second"]]',
      '["bob",2,true,null,[]]',
      '["bob",2,true,"third",["third"]]',
    ])
    expect([...seen].filter((render) => /false,"/.test(render))).toEqual([])
  })

  it('never sends a message to another address', async () => {
    const { result, rerender } = renderHook(({ id }) => useWebsocket('/ws/rooms/:id', { params: { id } }), {
      wrapper: WithAuth,
      initialProps: { id: 1 },
      reactStrictMode: true,
    })
    // Auth is still loading, so the message waits.
    expect(result.current.send('to room 1')).toBe(true)
    rerender({ id: 2 })
    act(() => auth.become('ada'))
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    const { send } = result.current
    expect(send('to room 2')).toBe(true)
    rerender({ id: 3 })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    // The user changed rooms during an upload, for example, and its callback still uses the old `send`.
    expect(send('to room 2, late')).toBe(false)
    expect(result.current.send('to room 3')).toBe(true)
    await waitFor(() => expect(messages()).toEqual(['to room 2', 'to room 3']))
  })

  it('shows no data of the previous user while auth is loading', async () => {
    const { result } = renderHook(() => useWebsocket('/ws/chat'), { wrapper: WithAuth })
    act(() => auth.become('ada'))
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    fake.sockets[0]?.deliver({ o: 'm', i: 1, d: 'secret of Ada' })
    await waitFor(() => expect(result.current.data).toBe('secret of Ada'))
    act(() => auth.become(undefined))
    expect(result.current).toMatchObject({ status: 'idle', isConnected: false, data: undefined, messages: [] })
  })
})

describe('useWebsocket in an <Activity>', () => {
  it('keeps its messages while it is hidden, and receives again when it is shown', async () => {
    let isHidden = false
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <Sdk>
        <Activity mode={isHidden ? 'hidden' : 'visible'}>{children}</Activity>
      </Sdk>
    )
    const { result, rerender } = renderHook(() => useWebsocket('/ws/chat', { lingerMs: 0 }), { wrapper })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    fake.sockets[0]?.deliver({ o: 'm', i: 1, d: 'one' })
    await waitFor(() => expect(result.current.messages).toEqual(['one']))
    isHidden = true
    rerender()
    await waitFor(() => expect(fake.sockets[0]?.isClosed).toBe(true))
    isHidden = false
    rerender()
    expect(result.current).toMatchObject({ data: 'one', messages: ['one'] })
    await waitFor(() => expect(result.current.isConnected).toBe(true))
    fake.sockets[1]?.deliver({ o: 'm', i: 1, d: 'two' })
    await waitFor(() => expect(result.current).toMatchObject({ data: 'two', messages: ['one', 'two'] }))
  })
})
