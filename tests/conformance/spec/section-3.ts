import { useAPI, useWebsocket } from '@sdk/react'
import { beforeEach, expect, it } from 'vitest'
import { act, goTo, Public, renderHook, waitFor } from './page.ts'
import type { Section } from './section.ts'

interface Flags {
  readonly status: string
  readonly isLoading: boolean
  readonly isSuccess: boolean
  readonly isError: boolean
}

/** Returns the state of the flags of one render; exactly one is true. */
function stateOf({ status, isLoading, isSuccess, isError }: Flags): string {
  const active = Object.entries({ loading: isLoading, success: isSuccess, error: isError }).filter(([, is]) => is)
  expect(active.map(([name]) => name)).toEqual(status === 'idle' ? [] : [status])
  return status
}

/** Section 3. */
export const section3: Section = {
  number: '3',
  title: 'states and transitions',
  tests(apps) {
    beforeEach(() => goTo(apps.open.url))

    it('3 a POST route goes from idle to loading to success or error, and reset returns it to idle', async () => {
      const seen: string[] = []
      const { result } = renderHook(
        () => {
          const calls = [useAPI('POST /agent/echo'), useAPI('POST /agent/refuse')] as const
          seen.push(calls.map(stateOf).join(' '))
          return calls
        },
        { wrapper: Public },
      )
      await act(() => result.current[0].invoke({}))
      await act(() => result.current[1].invoke({}).catch(() => {}))
      act(() => result.current[0].reset())
      expect(seen.filter((state, n) => state !== seen[n - 1])).toEqual([
        'idle idle',
        'loading idle',
        'success idle',
        'success loading',
        'success error',
        'idle error',
      ])
    })

    it('3 a GET route goes from loading to success, and stays there during a refetch', async () => {
      const seen: string[] = []
      const { result } = renderHook(
        () => {
          const query = useAPI('GET /api/visits')
          seen.push(`${stateOf(query)} ${query.isFetching}`)
          return query
        },
        { wrapper: Public },
      )
      await waitFor(() => expect(result.current.isSuccess).toBe(true))
      await act(() => result.current.refetch())
      await waitFor(() => expect(seen.at(-1)).toBe('success false'))
      expect(seen.filter((state, n) => state !== seen[n - 1])).toEqual([
        'loading true',
        'success false',
        'success true',
        'success false',
      ])
    })

    it('3 a GET route keeps its data when a refetch fails', async () => {
      const created = await apps.open.call('POST /api/v1/tasks', { title: 'Tea' })
      const { id } = created.body as { id: number }
      const { result } = renderHook(() => useAPI('GET /api/v1/tasks/:id', { params: { id } }), { wrapper: Public })
      await waitFor(() => expect(result.current.isSuccess).toBe(true))
      await apps.open.call(`DELETE /api/v1/tasks/${id}`)
      act(() => void result.current.refetch())
      await waitFor(() => expect(stateOf(result.current)).toBe('error'))
      expect(result.current).toMatchObject({ data: { title: 'Tea' }, error: { code: 'NOT_FOUND' } })
    })

    it('3 a socket is connected only if its readyState is 1', async () => {
      const seen: (readonly [boolean, number])[] = []
      const { result } = renderHook(
        () => {
          const chat = useWebsocket('/ws/chat')
          seen.push([chat.isConnected, chat.readyState])
          return chat
        },
        { wrapper: Public },
      )
      await waitFor(() => expect(result.current.isConnected).toBe(true))
      act(() => apps.open.cut())
      await waitFor(() => expect(result.current.isConnected).toBe(false))
      act(() => result.current.close())
      expect(seen.every(([isConnected, readyState]) => isConnected === (readyState === 1))).toBe(true)
      expect(new Set(seen.map(([, readyState]) => readyState))).toEqual(new Set([0, 1, 3]))
    })
  },
}
