// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { answer, begin, createFakeAuth, createGate, Sdk, startTestApp } from './app.test.fixture.tsx'
import type { OptimisticCache } from './optimistic.ts'
import { useAPI } from './use-api.ts'
import { usePages } from './use-pages.ts'

const app = startTestApp()

/** A list that the page shows, and a form that adds to it before the server has. */
function useList(): { items: unknown; add: (item: string) => Promise<unknown> } {
  const list = useAPI('GET /items')
  const { invoke } = useAPI('POST /items', {
    optimistic: (cache, item) => cache.update('GET /items', (old) => [...(old as string[]), item]),
  })
  return { items: list.data, add: invoke }
}

describe('optimistic', () => {
  it('shows the change at once, and what the server has after that', async () => {
    app.routes['GET /items'] = answer(200, ['a'])
    const { result } = renderHook(useList, { wrapper: Sdk })
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    const gate = createGate()
    app.routes['POST /items'] = (request, response) => gate.opened.then(() => answer(200, null)(request, response))
    const call = begin(() => result.current.add('b'))
    await waitFor(() => expect(result.current.items).toEqual(['a', 'b']))
    await waitFor(() => expect(app.requests).toEqual(['GET /items', 'POST /items']))
    app.routes['GET /items'] = answer(200, ['a', 'B of the server'])
    gate.open()
    await act(() => call)
    await waitFor(() => expect(result.current.items).toEqual(['a', 'B of the server']))
    expect(app.requests).toEqual(['GET /items', 'POST /items', 'GET /items'])
  })

  it('fetches what was loading again: its answer may be from before the change', async () => {
    const gates = [createGate(), createGate()]
    let count = 0
    app.routes['GET /items'] = async (request, response) => {
      const turn = count++
      await gates[turn]?.opened
      answer(200, turn === 0 ? [] : ['a'])(request, response)
    }
    app.routes['POST /items'] = answer(200, null)
    const { result } = renderHook(useList, { wrapper: Sdk })
    await waitFor(() => expect(app.requests).toEqual(['GET /items']))
    await act(() => result.current.add('a'))
    await waitFor(() => expect(app.requests).toEqual(['GET /items', 'POST /items', 'GET /items']))
    gates[1]?.open()
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    gates[0]?.open()
    expect(result.current.items).toEqual(['a'])
  })

  it('undoes the change of a request that failed', async () => {
    app.routes['GET /items'] = answer(200, ['a'])
    const { result } = renderHook(useList, { wrapper: Sdk })
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    // The refetch after it never ends, so what is shown is what was undone.
    app.routes['GET /items'] = () => {}
    app.routes['POST /items'] = answer(409, {})
    const call = begin(() => result.current.add('b'))
    await act(async () => expect(call).rejects.toMatchObject({ code: 'CONFLICT' }))
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    await waitFor(() => expect(app.requests).toEqual(['GET /items', 'POST /items', 'GET /items']))
  })

  it('undoes only the one that failed, and asks the server after the last', async () => {
    app.routes['GET /items'] = answer(200, ['a'])
    const { result } = renderHook(useList, { wrapper: Sdk })
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    const gates = [createGate(), createGate()]
    let count = 0
    app.routes['POST /items'] = async (request, response) => {
      const turn = count++
      await gates[turn]?.opened
      answer(turn === 0 ? 409 : 200, null)(request, response)
    }
    const bad = begin(() => result.current.add('bad'))
    await waitFor(() => expect(app.requests).toHaveLength(2))
    const good = begin(() => result.current.add('good'))
    await waitFor(() => expect(result.current.items).toEqual(['a', 'bad', 'good']))
    gates[0]?.open()
    await act(async () => expect(bad).rejects.toMatchObject({ code: 'CONFLICT' }))
    await waitFor(() => expect(result.current.items).toEqual(['a', 'good']))
    expect(app.requests).toEqual(['GET /items', 'POST /items', 'POST /items'])
    app.routes['GET /items'] = answer(200, ['a', 'good', 'other'])
    gates[1]?.open()
    await act(() => good)
    await waitFor(() => expect(result.current.items).toEqual(['a', 'good', 'other']))
    expect(app.requests.filter((name) => name === 'GET /items')).toHaveLength(2)
  })

  it('is not overwritten by a fetch that was on its way', async () => {
    app.routes['GET /items'] = answer(200, ['a'])
    const { result } = renderHook(() => ({ ...useList(), refetch: useAPI('GET /items').refetch }), { wrapper: Sdk })
    await waitFor(() => expect(result.current.items).toEqual(['a']))
    const [get, post] = [createGate(), createGate()]
    app.routes['GET /items'] = (request, response) => get.opened.then(() => answer(200, ['old'])(request, response))
    app.routes['POST /items'] = (request, response) => post.opened.then(() => answer(200, null)(request, response))
    act(() => void result.current.refetch())
    await waitFor(() => expect(app.requests).toHaveLength(2))
    const call = begin(() => result.current.add('b'))
    get.open()
    await waitFor(() => expect(app.requests).toHaveLength(3))
    expect(result.current.items).toEqual(['a', 'b'])
    app.routes['GET /items'] = answer(200, ['a', 'b'])
    post.open()
    await act(() => call)
    await waitFor(() => expect(app.requests).toHaveLength(4))
  })

  it('changes all that is cached of a route, or only one query of it', async () => {
    app.routes['*'] = answer(200, 0)
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

  it('changes what usePages holds, as one page, and fetches as many pages again', async () => {
    const pageOf = (items: string[], nextCursor: string | null): unknown => ({
      data: items,
      pagination: { nextCursor },
    })
    app.routes['GET /items'] = (request, response) => {
      const page = request.url?.includes('cursor') ? pageOf(['c'], null) : pageOf(['a', 'b'], '2')
      answer(200, page)(request, response)
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
    app.requests = []
    act(() => {
      result.current.form.cancel()
    })
    await waitFor(() => expect(result.current.list.items).toEqual(['a', 'b', 'c']))
    await waitFor(() => expect(app.requests).toEqual(['GET /items', 'GET /items?cursor=2']))
  })

  it('promise 9: changes nothing of another user', async () => {
    app.routes['GET /a'] = (request, response) => answer(200, request.headers.authorization)(request, response)
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

  it('sends nothing where it throws', async () => {
    app.routes['GET /a'] = answer(200, 0)
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
  it('asks once for what an optimistic change asks for, too', async () => {
    app.routes['GET /items'] = answer(200, ['a'])
    app.routes['POST /items'] = answer(200, null)
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
    app.routes['GET /items'] = answer(200, ['a', 'b'])
    await act(() => result.current.add.invoke('b'))
    await waitFor(() => expect(result.current.list).toMatchObject({ data: ['a', 'b'], isFetching: false }))
    expect(app.requests).toEqual(['GET /items', 'POST /items', 'GET /items'])
  })

  it('fetches the routes again after a success, whatever their query, and not after a failure', async () => {
    app.routes['*'] = answer(200, 1)
    app.routes['POST /bad'] = answer(409, {})
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
