// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { respond, begin, createFakeAuth, createGate, Sdk, startTestApp } from './app.test.fixture.tsx'
import type { OptimisticCache } from './optimistic.ts'
import { useAPI } from './use-api.ts'
import { usePages } from './use-pages.ts'

const app = startTestApp()

/** Returns a list and a function that adds an item to it optimistically. */
function useList(): { items: unknown; add: (item: string) => Promise<unknown> } {
  const list = useAPI('GET /items')
  const { invoke } = useAPI('POST /items', {
    optimistic: (cache, item) => cache.update('GET /items', (old) => [...(old as string[]), item]),
  })
  return { items: list.data, add: invoke }
}

describe('optimistic', () => {
  it('shows the change immediately and then the data of the server', async () => {
    app.routes['GET /items'] = respond(200, ['a'])
    const { result } = renderHook(useList, { wrapper: Sdk })
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    const gate = createGate()
    app.routes['POST /items'] = (request, response) => gate.opened.then(() => respond(200, null)(request, response))
    const call = begin(() => result.current.add('b'))
    await waitFor(() => expect(result.current.items).toEqual(['a', 'b']))
    await waitFor(() => expect(app.requests).toEqual(['GET /items', 'POST /items']))
    app.routes['GET /items'] = respond(200, ['a', 'B of the server'])
    gate.open()
    await act(() => call)
    await waitFor(() => expect(result.current.items).toEqual(['a', 'B of the server']))
    expect(app.requests).toEqual(['GET /items', 'POST /items', 'GET /items'])
  })

  it('refetches a loading query, since its response may be outdated', async () => {
    const gates = [createGate(), createGate()]
    let count = 0
    app.routes['GET /items'] = async (request, response) => {
      const turn = count++
      await gates[turn]?.opened
      respond(200, turn === 0 ? [] : ['a'])(request, response)
    }
    app.routes['POST /items'] = respond(200, null)
    const { result } = renderHook(useList, { wrapper: Sdk })
    await waitFor(() => expect(app.requests).toEqual(['GET /items']))
    await act(() => result.current.add('a'))
    await waitFor(() => expect(app.requests).toEqual(['GET /items', 'POST /items', 'GET /items']))
    gates[1]?.open()
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    gates[0]?.open()
    expect(result.current.items).toEqual(['a'])
  })

  it('reverts the change if the request fails', async () => {
    app.routes['GET /items'] = respond(200, ['a'])
    const { result } = renderHook(useList, { wrapper: Sdk })
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    // The refetch never ends, so the list shows the reverted data.
    app.routes['GET /items'] = () => {}
    app.routes['POST /items'] = respond(409, {})
    const call = begin(() => result.current.add('b'))
    await act(async () => expect(call).rejects.toMatchObject({ code: 'CONFLICT' }))
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    await waitFor(() => expect(app.requests).toEqual(['GET /items', 'POST /items', 'GET /items']))
  })

  it('reverts only the failed change and refetches after the last one', async () => {
    app.routes['GET /items'] = respond(200, ['a'])
    const { result } = renderHook(useList, { wrapper: Sdk })
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    const gates = [createGate(), createGate()]
    let count = 0
    app.routes['POST /items'] = async (request, response) => {
      const turn = count++
      await gates[turn]?.opened
      respond(turn === 0 ? 409 : 200, null)(request, response)
    }
    const bad = begin(() => result.current.add('bad'))
    await waitFor(() => expect(app.requests).toHaveLength(2))
    const good = begin(() => result.current.add('good'))
    await waitFor(() => expect(result.current.items).toEqual(['a', 'bad', 'good']))
    gates[0]?.open()
    await act(async () => expect(bad).rejects.toMatchObject({ code: 'CONFLICT' }))
    await waitFor(() => expect(result.current.items).toEqual(['a', 'good']))
    expect(app.requests).toEqual(['GET /items', 'POST /items', 'POST /items'])
    app.routes['GET /items'] = respond(200, ['a', 'good', 'other'])
    gates[1]?.open()
    await act(() => good)
    await waitFor(() => expect(result.current.items).toEqual(['a', 'good', 'other']))
    expect(app.requests.filter((name) => name === 'GET /items')).toHaveLength(2)
  })

  it('is not overwritten by an earlier fetch', async () => {
    app.routes['GET /items'] = respond(200, ['a'])
    const { result } = renderHook(() => ({ ...useList(), refetch: useAPI('GET /items').refetch }), { wrapper: Sdk })
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    const [get, post] = [createGate(), createGate()]
    app.routes['GET /items'] = (request, response) => get.opened.then(() => respond(200, ['old'])(request, response))
    app.routes['POST /items'] = (request, response) => post.opened.then(() => respond(200, null)(request, response))
    act(() => void result.current.refetch())
    await waitFor(() => expect(app.requests).toHaveLength(2))
    const call = begin(() => result.current.add('b'))
    get.open()
    await waitFor(() => expect(app.requests).toHaveLength(3))
    expect(result.current.items).toEqual(['a', 'b'])
    app.routes['GET /items'] = respond(200, ['a', 'b'])
    post.open()
    await act(() => call)
    await waitFor(() => expect(app.requests).toHaveLength(4))
  })

  it('changes all cached queries of a route, or only one of them', async () => {
    app.routes['*'] = respond(200, 0)
    app.routes['POST /a'] = () => {}
    const { result } = renderHook(
      ({ change }) => ({
        lists: [useAPI('GET /a', { query: { n: 1 } }).data, useAPI('GET /a', { query: { n: 2 } }).data],
        form: useAPI('POST /a', { optimistic: change }),
      }),
      {
        wrapper: Sdk,
        initialProps: {
          change(cache: OptimisticCache) {
            cache.update('GET /a', (old) => Number(old) + 1)
            cache.update('GET /a', (old) => Number(old) + 10, { query: { n: 2 } })
            cache.update('GET /b', () => 'not there')
          },
        },
      },
    )
    await waitFor(() => expect(result.current.lists).toEqual([0, 0]))
    act(() => void result.current.form.invoke({}))
    await waitFor(() => expect(result.current.lists).toEqual([1, 11]))
    act(() => {
      result.current.form.cancel()
    })
    await waitFor(() => expect(result.current.lists).toEqual([0, 0]))
  })

  it('changes pages in another format one by one', async () => {
    app.routes['GET /items'] = (request, response) =>
      respond(200, { names: request.url?.includes('after') ? ['c'] : ['a', 'b'] })(request, response)
    app.routes['DELETE /items'] = () => {}
    const { result } = renderHook(
      () => ({
        list: usePages('GET /items', {
          items: (page) => (page as { names: string[] }).names,
          getNext: (_page, count) => (count < 3 ? { after: count } : null),
        }),
        form: useAPI('DELETE /items', {
          optimistic: (cache) =>
            cache.update('GET /items', (old) => ({
              names: (old as { names: string[] }).names.filter((name) => name === 'b' || name === 'c'),
            })),
        }),
      }),
      { wrapper: Sdk },
    )
    await waitFor(() => expect(result.current.list.hasMore).toBe(true))
    act(() => result.current.list.fetchNext())
    await waitFor(() => expect(result.current.list.items).toEqual(['a', 'b', 'c']))
    act(() => void result.current.form.invoke())
    await waitFor(() => expect(result.current.list.items).toEqual(['b', 'c']))
  })

  it('changes the items of usePages as one page and refetches all pages', async () => {
    const pageOf = (items: string[], nextCursor: string | null): unknown => ({
      data: items,
      pagination: { nextCursor },
    })
    app.routes['GET /items'] = (request, response) => {
      const page = request.url?.includes('cursor') ? pageOf(['c'], null) : pageOf(['a', 'b'], '2')
      respond(200, page)(request, response)
    }
    app.routes['POST /items'] = () => {}
    const { result } = renderHook(
      () => ({
        list: usePages('GET /items'),
        form: useAPI('POST /items', {
          optimistic: (cache, item) =>
            cache.update('GET /items', (old) => {
              const { data, ...rest } = old as { data: unknown[] }
              return { ...rest, data: [item, ...data.filter((other) => other !== 'c')] }
            }),
        }),
      }),
      { wrapper: Sdk },
    )
    await waitFor(() => expect(result.current.list.hasMore).toBe(true))
    act(() => result.current.list.fetchNext())
    await waitFor(() => expect(result.current.list.items).toEqual(['a', 'b', 'c']))
    act(() => void result.current.form.invoke('new'))
    await waitFor(() => expect(result.current.list).toMatchObject({ items: ['new', 'a', 'b'], hasMore: false }))
    await waitFor(() => expect(app.requests).toContain('POST /items'))
    app.requests = []
    act(() => {
      result.current.form.cancel()
    })
    await waitFor(() => expect(result.current.list.items).toEqual(['a', 'b', 'c']))
    await waitFor(() => expect(app.requests).toEqual(['GET /items', 'GET /items?cursor=2']))
  })

  it('promise 9: does not change the data of another user', async () => {
    app.routes['GET /a'] = (request, response) => respond(200, request.headers.authorization)(request, response)
    app.routes['POST /a'] = () => {}
    const auth = createFakeAuth()
    auth.become('ada')
    const { result } = renderHook(
      () => ({
        data: useAPI('GET /a', { staleTime: Infinity }).data,
        form: useAPI('POST /a', { optimistic: (cache) => cache.update('GET /a', () => 'changed') }),
      }),
      { wrapper: auth.Providers },
    )
    await waitFor(() => expect(result.current.data).toBe('Bearer token-of-ada'))
    act(() => auth.become('bob'))
    await waitFor(() => expect(result.current.data).toBe('Bearer token-of-bob'))
    act(() => void result.current.form.invoke({}))
    await waitFor(() => expect(result.current.data).toBe('changed'))
    act(() => auth.become('ada'))
    expect(result.current.data).not.toBe('changed')
    await waitFor(() => expect(result.current.data).toBe('Bearer token-of-ada'))
  })

  it('sends nothing if it throws', async () => {
    app.routes['GET /a'] = respond(200, 0)
    const optimistic = (cache: OptimisticCache): void => {
      cache.update('GET /a', () => 1)
      throw new RangeError('no')
    }
    const { result } = renderHook(() => ({ list: useAPI('GET /a'), form: useAPI('POST /a', { optimistic }) }), {
      wrapper: Sdk,
    })
    await waitFor(() => expect(result.current.list.data).toBe(0))
    expect(() => void result.current.form.invoke({})).toThrow(RangeError)
    await waitFor(() => expect(app.requests).toEqual(['GET /a', 'GET /a']))
    await waitFor(() => expect(result.current.list.data).toBe(0))
  })
})

describe('invalidates', () => {
  it('refetches a route once if it is also changed optimistically', async () => {
    app.routes['GET /items'] = respond(200, ['a'])
    app.routes['POST /items'] = respond(200, null)
    const { result } = renderHook(
      () => ({
        list: useAPI('GET /items'),
        add: useAPI('POST /items', {
          invalidates: ['GET /items'],
          optimistic: (cache, item) => cache.update('GET /items', (old) => [...(old as string[]), item]),
        }),
      }),
      { wrapper: Sdk },
    )
    await waitFor(() => expect(result.current.list.data).toEqual(['a']))
    app.routes['GET /items'] = respond(200, ['a', 'b'])
    await act(() => result.current.add.invoke('b'))
    await waitFor(() => expect(result.current.list).toMatchObject({ data: ['a', 'b'], isFetching: false }))
    expect(app.requests).toEqual(['GET /items', 'POST /items', 'GET /items'])
  })

  it('refetches all queries of the routes after a success, but not after a failure', async () => {
    app.routes['*'] = respond(200, 1)
    app.routes['POST /bad'] = respond(409, {})
    const { result } = renderHook(
      () => ({
        lists: [useAPI('GET /a'), useAPI('GET /a', { query: { n: 1 } }), useAPI('GET /b')],
        good: useAPI('POST /good', { invalidates: ['GET /a'] }),
        bad: useAPI('POST /bad', { invalidates: ['GET /a'] }),
      }),
      { wrapper: Sdk },
    )
    await waitFor(() => expect(result.current.lists.every(({ isSuccess }) => isSuccess)).toBe(true))
    app.requests = []
    await act(() => result.current.bad.invoke({}).catch(() => {}))
    await act(() => result.current.good.invoke({}))
    await waitFor(() => expect(app.requests).toHaveLength(4))
    await waitFor(() => expect(result.current.lists.some(({ isFetching }) => isFetching)).toBe(false))
    expect(app.requests).toEqual(['POST /bad', 'POST /good', 'GET /a', 'GET /a?n=1'])
  })
})
