import { useWebsocket } from '@sdk/react'
import { beforeEach, expect, it } from 'vitest'
import { act, goTo, Public, renderHook, waitFor } from './page.ts'
import type { Section } from './section.ts'

/** Section 6. */
export const section6: Section = {
  number: '6',
  title: 'events',
  tests(apps) {
    beforeEach(() => goTo(apps.open.url))

    it('6 data and messages contain all messages of the application, regardless of their content', async () => {
      const { result } = renderHook(() => useWebsocket('/ws/chat'), { wrapper: Public })
      await waitFor(() => expect(result.current.isConnected).toBe(true))
      // Payloads that look like our frames, errors or named events still belong to the application.
      const sent = [{ o: 'bye' }, { error: { code: 'X' } }, { event: 'created' }, [], '']
      act(() => sent.forEach((message) => result.current.send(message)))
      await waitFor(() => expect(result.current.messages).toEqual(sent.map((echo) => ({ echo }))))
      expect(result.current).toMatchObject({ data: { echo: '' }, error: null, isConnected: true })
    })

    it('6 a socket receives only the messages of the application', async () => {
      const { result } = renderHook(() => useWebsocket('/ws/chat'), { wrapper: Public })
      await waitFor(() => expect(result.current.isConnected).toBe(true))
      act(() => void result.current.send('only this'))
      await waitFor(() => expect(result.current.messages).toEqual([{ echo: 'only this' }]))
    })
  },
}
