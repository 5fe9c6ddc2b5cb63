// @vitest-environment happy-dom
import { createClient } from '@sdk/frontend'
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it } from 'vitest'
import { createFakeAuth } from './app.test.fixture.tsx'
import { AuthProvider } from './auth-provider.tsx'
import { createFakeWebSockets } from './fake-web-socket.test.fixture.ts'
import { SdkProvider } from './sdk-provider.tsx'
import { useWebsocket } from './use-websocket.ts'

afterEach(cleanup)

it('closes the sockets of a user at a sign-out and opens new ones for the next user', async () => {
  const { WebSocket, sockets } = createFakeWebSockets()
  const client = createClient({ baseUrl: 'http://x.dev', WebSocket })
  const auth = createFakeAuth()
  const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
    <AuthProvider source={auth}>
      <SdkProvider client={client}>{children}</SdkProvider>
    </AuthProvider>
  )
  auth.become('ada')
  const { result } = renderHook(() => useWebsocket('/ws/chat'), { wrapper, reactStrictMode: true })
  await waitFor(() => expect(result.current.isConnected).toBe(true))
  sockets[0]?.deliver({ o: 'm', i: 1, d: 'for ada' })
  await waitFor(() => expect(result.current.messages).toEqual(['for ada']))

  act(() => auth.become(null))
  expect(sockets[0]?.isClosed).toBe(true)
  expect(result.current).toMatchObject({ data: undefined, messages: [], error: null })
  await waitFor(() => expect(result.current.isConnected).toBe(true))
  expect(sockets.map(({ protocols }) => protocols)).toEqual([['sdk.v1', 'sdk.token.token-of-ada'], ['sdk.v1']])

  act(() => auth.become('bob'))
  await waitFor(() => expect(sockets).toHaveLength(3))
  await waitFor(() => expect(result.current.isConnected).toBe(true))
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true, true, false])
})
