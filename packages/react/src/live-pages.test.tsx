// @vitest-environment happy-dom
import type { Page } from '@sdk/protocol'
import { act, renderHook, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { respond } from './app.test.fixture.tsx'
import { LIST, startLiveTasks, type Task } from './live-tasks.test.fixture.tsx'
import { useAPI } from './use-api.ts'
import { usePages } from './use-pages.ts'

const live = startLiveTasks()

describe('usePages with live: true', () => {
  const usePairs = () => usePages(LIST, { query: { limit: 2 }, live: true })
  const ids = (items: unknown[]): number[] => items.map((item) => (item as Task).id)

  it('keeps all pages current, even if their boundaries move', async () => {
    live.tasks = [10, 20, 30, 40, 50, 60].map((id) => ({ id, title: '' }))
    const seen: number[][] = []
    const { result } = renderHook(
      () => {
        const pages = usePairs()
        seen.push(ids(pages.items))
        return pages
      },
      { wrapper: live.Live },
    )
    await waitFor(() => expect(result.current.isLive).toBe(true))
    for (const count of [4, 6]) {
      act(() => result.current.fetchNext())
      await waitFor(() => expect(result.current.items).toHaveLength(count))
    }
    expect(result.current).toMatchObject({ isLive: true, hasMore: false })
    await waitFor(() => expect(live.subscribed()).toHaveLength(3))
    live.app.requests = []
    seen.length = 0
    live.commit(() => (live.tasks = [{ id: 5, title: '' }, ...live.tasks]))
    await waitFor(() => expect(ids(result.current.items)).toEqual([5, 10, 20, 30, 40, 50]))
    expect(result.current.hasMore).toBe(true)
    live.commit(() => (live.tasks = live.tasks.filter(({ id }) => id > 20)))
    await waitFor(() => expect(ids(result.current.items)).toEqual([30, 40, 50, 60]))
    expect(result.current.hasMore).toBe(false)
    live.commit(() => (live.tasks = live.tasks.map((task) => ({ ...task, title: 'x' }))))
    await waitFor(() => expect(result.current.items.at(-1)).toEqual({ id: 60, title: 'x' }))
    expect(live.app.requests).toEqual([])
    // No state shows an item twice or omits one.
    for (const shown of seen)
      expect([
        [10, 20, 30, 40, 50, 60],
        [5, 10, 20, 30, 40, 50],
        [30, 40, 50, 60],
      ]).toContainEqual(shown)
  })

  it('fetches fresh data on refetch without requests', async () => {
    const { result } = renderHook(usePairs, { wrapper: live.Live })
    await waitFor(() => expect(result.current.isLive).toBe(true))
    act(() => result.current.fetchNext())
    await waitFor(() => expect(ids(result.current.items)).toEqual([1, 2, 3]))
    live.app.requests = []
    live.tasks = live.tasks.map((task) => ({ ...task, title: 'new' }))
    await act(() => result.current.refetch())
    await waitFor(() => expect(result.current.items).toEqual(live.tasks))
    expect(live.app.requests).toEqual([])
  })

  it('keeps an optimistic item until all pages contain the change', async () => {
    live.tasks = [10, 20, 30].map((id) => ({ id, title: '' }))
    const seen: number[][] = []
    const { result } = renderHook(
      () => {
        const pages = usePairs()
        seen.push(ids(pages.items))
        const { invoke } = useAPI('POST /tasks', {
          optimistic: (cache, task) =>
            cache.update(LIST, (old) => ({
              ...(old as Page<Task>),
              data: [task as Task, ...(old as Page<Task>).data],
            })),
        })
        return { ...pages, invoke }
      },
      { wrapper: live.Live },
    )
    await waitFor(() => expect(result.current.isLive).toBe(true))
    act(() => result.current.fetchNext())
    await waitFor(() => expect(live.subscribed()).toHaveLength(2))
    await waitFor(() => expect(result.current.items).toHaveLength(3))
    live.app.routes['POST /tasks'] = (request, response) => {
      live.tasks = [{ id: 5, title: '' }, ...live.tasks]
      return respond(200, {})(request, response)
    }
    live.server.delayMs = 20
    seen.length = 0
    await act(() => result.current.invoke({ id: 5, title: '' }))
    await waitFor(() => expect(live.server.requests.filter((request) => 'sync' in request).length).toBeGreaterThan(1))
    await waitFor(() => expect(ids(result.current.items)).toEqual([5, 10, 20, 30]))
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(ids(result.current.items)).toEqual([5, 10, 20, 30])
    for (const shown of seen.slice(seen.findIndex((each) => each.includes(5)))) expect(shown).toEqual([5, 10, 20, 30])
  })
})
