import { useWebsocket } from '@sdk/react'
import { beforeEach, expect, it } from 'vitest'
import { act, goTo, Public, renderHook, waitFor } from './page.ts'
import type { Section } from './section.ts'

const useChat = (): ReturnType<typeof useWebsocket> => useWebsocket('/ws/chat')

/** Section 4.3. */
export const section4_3: Section = {
  number: '4.3',
  title: 'WebSocket',
  tests(apps) {
    beforeEach(() => goTo(apps.open.url))

    it('4.3 useWebsocket opens a connection to /ws/{name} that sends and receives', async () => {
      const { result } = renderHook(useChat, { wrapper: Public })
      await waitFor(() => expect(result.current.isConnected).toBe(true))
      act(() => void result.current.send({ text: 'hello' }))
      await waitFor(() => expect(result.current.data).toEqual({ echo: { text: 'hello' } }))
    })

    it('4.3 useWebsocket reconnects each time the connection is lost', async () => {
      const { result } = renderHook(useChat, { wrapper: Public })
      for (const turn of ['first', 'second']) {
        await waitFor(() => expect(result.current.isConnected).toBe(true))
        act(() => apps.open.cut())
        await waitFor(() => expect(result.current.isConnected).toBe(false))
        await waitFor(() => expect(result.current.isConnected).toBe(true))
        act(() => void result.current.send(turn))
        await waitFor(() => expect(result.current.data).toEqual({ echo: turn }))
      }
    })

    it('4.3 messages sent without a connection are queued and delivered once, in order', async () => {
      const { result } = renderHook(useChat, { wrapper: Public })
      const before = apps.open.events.length
      expect([result.current.isConnected, result.current.send('early')]).toEqual([false, true])
      await waitFor(() => expect(result.current.data).toEqual({ echo: 'early' }))
      act(() => apps.open.cut())
      await waitFor(() => expect(result.current.isConnected).toBe(false))
      act(() => ['one', 'two'].forEach((text) => result.current.send(text)))
      await waitFor(() => expect(result.current.data).toEqual({ echo: 'two' }))
      const received = apps.open.events.slice(before).filter((event) => event !== 'came' && event !== 'went')
      expect(received).toEqual(['early', 'one', 'two'])
    })
  },
}
