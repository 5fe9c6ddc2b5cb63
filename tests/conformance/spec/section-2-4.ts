import { useAuth, useWebsocket } from '@sdk/react'
import { beforeEach, expect, it } from 'vitest'
import { ADA } from '../auth/people.ts'
import { act, goTo, Guarded, Public, renderHook, waitFor } from './page.ts'
import type { Section } from './section.ts'

const useChat = (): ReturnType<typeof useWebsocket> => useWebsocket('/ws/chat', { lingerMs: 0 })

/** A component with an open socket. */
async function openChat(): Promise<{ current: ReturnType<typeof useChat> }> {
  const { result } = renderHook(useChat, { wrapper: Public })
  await waitFor(() => expect(result.current.isConnected).toBe(true))
  return result
}

/** Section 2.4. */
export const section2_4: Section = {
  number: '2.4',
  title: 'result of useWebsocket',
  tests(apps) {
    beforeEach(() => goTo(apps.open.url))

    it('2.4 isConnected is true while the socket is connected', async () => {
      const { result } = renderHook(useChat, { wrapper: Public })
      expect(result.current.isConnected).toBe(false)
      await waitFor(() => expect(result.current.isConnected).toBe(true))
    })

    it.each([{ text: 'a', list: [1, null] }, 'b', 0, false, null])(
      '2.4 send sends one JSON message: %j',
      async (message) => {
        const chat = await openChat()
        act(() => void chat.current.send(message))
        await waitFor(() => expect(chat.current.data).toEqual({ echo: message }))
        expect(apps.open.events.at(-1)).toEqual(message)
      },
    )

    it('2.4 send throws if the message cannot be serialized as JSON', async () => {
      const chat = await openChat()
      expect(() => chat.current.send(1n)).toThrow(TypeError)
    })

    it('2.4 close closes the connection permanently', async () => {
      const chat = await openChat()
      act(() => chat.current.close())
      await waitFor(() => expect(apps.open.events.at(-1)).toBe('went'))
      expect(chat.current).toMatchObject({ isConnected: false, readyState: 3 })
      expect(chat.current.send('late')).toBe(false)
    })

    it('2.4 data is the latest message, and messages has all messages until clearMessages', async () => {
      const chat = await openChat()
      expect(chat.current).toMatchObject({ data: undefined, messages: [] })
      act(() => [1, 2, 3].forEach((n) => chat.current.send(n)))
      await waitFor(() => expect(chat.current.messages).toEqual([{ echo: 1 }, { echo: 2 }, { echo: 3 }]))
      expect(chat.current.data).toEqual({ echo: 3 })
      act(() => chat.current.clearMessages())
      expect(chat.current.messages).toEqual([])
    })

    it('2.4 error is the last error of the connection', async () => {
      const chat = await openChat()
      expect(chat.current.error).toBeNull()
      act(() => apps.open.cut())
      await waitFor(() =>
        expect(chat.current.error).toMatchObject({ code: 'NETWORK_ERROR', message: expect.any(String) }),
      )
      const { result } = renderHook(() => useWebsocket('/ws/nowhere'), { wrapper: Public })
      await waitFor(() => expect(result.current.error).toMatchObject({ code: 'NOT_FOUND' }))
    })

    it('2.4 readyState has the values of WebSocket: 0 connecting, 1 open, 3 closed', async () => {
      const { result } = renderHook(useChat, { wrapper: Public })
      expect(result.current.readyState).toBe(0)
      await waitFor(() => expect(result.current.readyState).toBe(1))
      act(() => result.current.close())
      expect(result.current.readyState).toBe(3)
    })
  },
}

/** Section 2.5. */
export const section2_5: Section = {
  number: '2.5',
  title: 'result of useAuth',
  tests(apps) {
    it('2.5 authLoading is true until the session is loaded, and isAuthenticated is true after a sign-in', async () => {
      goTo(apps.guarded.url)
      const { result } = renderHook(useAuth, { wrapper: Guarded })
      expect(result.current).toMatchObject({ authLoading: true, isAuthenticated: false })
      await waitFor(() => expect(result.current.authLoading).toBe(false))
      expect(result.current).toMatchObject({ isAuthenticated: false, authHeader: null })
      await act(() => result.current.signIn(ADA))
      expect(result.current).toMatchObject({ isAuthenticated: true, authLoading: false })
    })

    it('2.5 authHeader is the value of an Authorization header with a Bearer token', async () => {
      goTo(apps.guarded.url, await apps.guarded.signIn())
      const { result } = renderHook(useAuth, { wrapper: Guarded })
      await waitFor(() => expect(result.current.authHeader).toMatch(/^Bearer \S+$/))
      const headers = { authorization: result.current.authHeader ?? '' }
      const { body } = await apps.guarded.call('GET /api/me', undefined, headers)
      expect(body).toMatchObject({ name: 'Ada', via: 'bearer' })
    })

    it('2.5 isAuthenticated is false without an AuthProvider', () => {
      const { result } = renderHook(useAuth, { wrapper: Public })
      expect(result.current).toMatchObject({ isAuthenticated: false, authLoading: false, authHeader: null })
    })
  },
}
