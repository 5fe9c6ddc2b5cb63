// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { begin, respond, createFakeAuth, createGate, Sdk, startTestApp, type Handler } from './app.test.fixture.tsx'
import { useAPI } from './use-api.ts'
import { usePages } from './use-pages.ts'

const app = startTestApp()

/** Returns a handler for the numbers from 1 to `last`, two per page. The cursor is the last number. */
function numbers(last: number): Handler {
  return (request, response) => {
    const cursor = Number(new URL(request.url ?? '', app.url).searchParams.get('cursor') ?? 0)
    const data = [cursor + 1, cursor + 2].filter((n) => n <= last)
    const next = cursor + 2
    const nextCursor = next < last ? String(next) : null
    respond(200, { data, pagination: { limit: 2, hasMore: nextCursor !== null, nextCursor, prevCursor: null } })(
      request,
      response,
    )
  }
}

describe('usePages', () => {
  it('fetches page after page until there are no more', async () => {
    app.routes['GET /n'] = numbers(5)
    const { result } = renderHook(() => usePages('GET /n', { query: { sort: 'n' } }), {
      wrapper: Sdk,
      reactStrictMode: true,
    })
    expect(result.current).toMatchObject({ items: [], isLoading: true, isFetching: true, hasMore: false })
    await waitFor(() => expect(result.current.items).toEqual([1, 2]))
    expect(result.current).toMatchObject({ isLoading: false, isSuccess: true, isError: false, hasMore: true })
    const gate = createGate()
    app.routes['GET /n'] = (request, response) => gate.opened.then(() => numbers(5)(request, response))
    act(() => {
      result.current.fetchNext()
    })
    await waitFor(() => expect(result.current).toMatchObject({ isFetchingNext: true, isLoading: false }))
    act(() => {
      result.current.fetchNext()
    })
    gate.open()
    await waitFor(() => expect(result.current.items).toEqual([1, 2, 3, 4]))
    act(() => {
      result.current.fetchNext()
    })
    await waitFor(() => expect(result.current.items).toEqual([1, 2, 3, 4, 5]))
    expect(result.current).toMatchObject({ hasMore: false, isFetchingNext: false })
    act(() => {
      result.current.fetchNext()
    })
    await waitFor(() => expect(result.current.isFetching).toBe(false))
    expect(app.requests).toEqual(['GET /n?sort=n', 'GET /n?sort=n&cursor=2', 'GET /n?sort=n&cursor=4'])
  })

  it('fetches the next page after a refetch in progress, which it does not cancel', async () => {
    app.routes['GET /n'] = numbers(5)
    const { result } = renderHook(() => usePages('GET /n'), { wrapper: Sdk })
    await waitFor(() => expect(result.current.items).toEqual([1, 2]))
    const gate = createGate()
    app.routes['GET /n'] = (request, response) => gate.opened.then(() => numbers(6)(request, response))
    void begin(() => result.current.refetch())
    void begin(() => result.current.refetch()) // cancels the previous one
    act(() => {
      result.current.fetchNext()
      result.current.fetchNext()
    })
    gate.open()
    await waitFor(() => expect(result.current.items).toEqual([1, 2, 3, 4]))
    expect(app.requests).toEqual(['GET /n', 'GET /n', 'GET /n', 'GET /n?cursor=2'])
  })

  it('fails if the response is not a page', async () => {
    app.routes['GET /n'] = respond(200, { rows: [1, 2] })
    const { result } = renderHook(() => usePages('GET /n'), { wrapper: Sdk })
    await waitFor(() => expect(result.current).toMatchObject({ isError: true, isLoading: false, items: [] }))
    expect(result.current.error).toMatchObject({ code: 'INVALID_RESPONSE' })
    expect(result.current.error?.message).toMatch(
      /^usePages cannot read the pages of "GET \/n": pass items and getNext/,
    )
  })

  it('does not fetch a page while it is disabled', async () => {
    const { result } = renderHook(() => usePages('GET /n', { enabled: false }), { wrapper: Sdk })
    act(() => {
      result.current.fetchNext()
    })
    await act(() => Promise.resolve())
    expect(result.current.isFetching).toBe(false)
  })

  it('promise 1: sends one request with inline options and returns the same items', async () => {
    app.routes['GET /n'] = numbers(5)
    const { result, rerender } = renderHook(() => usePages('GET /n', { query: { tags: ['a'] } }), { wrapper: Sdk })
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    const { items } = result.current
    for (let count = 0; count < 20; count++) rerender()
    expect(result.current.items).toBe(items)
    expect(app.requests).toHaveLength(1)
  })

  it('promise 5: keeps its items when the next page fails, and can retry', async () => {
    app.routes['GET /n'] = numbers(4)
    const { result } = renderHook(() => usePages('GET /n'), { wrapper: Sdk })
    await waitFor(() => expect(result.current.items).toEqual([1, 2]))
    app.routes['GET /n'] = respond(500, {})
    act(() => {
      result.current.fetchNext()
    })
    await waitFor(() => expect(result.current.isError).toBe(true))
    expect(result.current).toMatchObject({ items: [1, 2], isSuccess: false, error: { status: 500 }, hasMore: true })
    app.routes['GET /n'] = numbers(4)
    act(() => {
      result.current.fetchNext()
    })
    await waitFor(() => expect(result.current.items).toEqual([1, 2, 3, 4]))
    expect(result.current).toMatchObject({ isError: false, error: null })
  })

  it('refetches all pages on refetch or after an invoke that invalidates them', async () => {
    app.routes['GET /n'] = numbers(3)
    app.routes['POST /n'] = respond(200, null)
    const { result } = renderHook(
      () => ({ list: usePages('GET /n'), one: useAPI('GET /n'), add: useAPI('POST /n', { invalidates: ['GET /n'] }) }),
      { wrapper: Sdk },
    )
    await waitFor(() => expect(result.current.list.items).toEqual([1, 2]))
    act(() => {
      result.current.list.fetchNext()
    })
    await waitFor(() => expect(result.current.list.items).toEqual([1, 2, 3]))
    app.routes['GET /n'] = numbers(4)
    await act(() => result.current.list.refetch())
    await waitFor(() => expect(result.current.list.items).toEqual([1, 2, 3, 4]))
    app.routes['GET /n'] = numbers(3)
    await act(() => result.current.add.invoke({}))
    await waitFor(() => expect(result.current.list.items).toEqual([1, 2, 3]))
    expect(result.current.one.data).toMatchObject({ data: [1, 2] })
  })

  it('promise 4: sends nothing while it is not enabled', async () => {
    app.routes['*'] = numbers(1)
    const { result } = renderHook(() => [usePages('GET /n', { enabled: false }), usePages('GET /other')], {
      wrapper: Sdk,
    })
    await waitFor(() => expect(result.current[1]?.isSuccess).toBe(true))
    expect(result.current[0]).toMatchObject({ isLoading: false, items: [] })
    expect(app.requests).toEqual(['GET /other'])
  })

  it('promise 3: is stopped on unmount', async () => {
    const gone = createGate()
    app.routes['GET /n'] = (_request, response) => void response.on('close', () => gone.open())
    const { unmount } = renderHook(() => usePages('GET /n'), { wrapper: Sdk })
    await waitFor(() => expect(app.requests).toHaveLength(1))
    unmount()
    await gone.opened
    expect(app.requests).toHaveLength(1)
  })

  it('promise 9: waits until auth has loaded and never shows the items of another user', async () => {
    app.routes['GET /n'] = (request, response) => {
      const data = [request.headers.authorization]
      respond(200, { data, pagination: { nextCursor: null } })(request, response)
    }
    const auth = createFakeAuth()
    const { result } = renderHook(() => usePages('GET /n'), { wrapper: auth.Providers })
    expect(result.current.isLoading).toBe(true)
    expect(app.requests).toEqual([])
    act(() => auth.become('ada'))
    await waitFor(() => expect(result.current.items).toEqual(['Bearer token-of-ada']))
    act(() => auth.become('bob'))
    expect(result.current.items).toEqual([])
    await waitFor(() => expect(result.current.items).toEqual(['Bearer token-of-bob']))
  })

  it('reads offset pages in the format of another contract', async () => {
    const titles = ['a', 'b', 'c', 'd', 'e']
    app.routes['GET /notes'] = (request, response) => {
      const query = new URL(request.url ?? '', app.url).searchParams
      const offset = Number(query.get('offset') ?? 0)
      respond(200, { notes: titles.slice(offset, offset + 2), total: titles.length })(request, response)
    }
    interface Notes {
      notes: string[]
      total: number
    }
    const { result, rerender } = renderHook(
      () =>
        usePages('GET /notes', {
          query: { limit: 2 },
          items: (page) => (page as Notes).notes,
          getNext: (page, count) => (count < (page as Notes).total ? { offset: count } : null),
        }),
      { wrapper: Sdk, reactStrictMode: true },
    )
    await waitFor(() => expect(result.current).toMatchObject({ items: ['a', 'b'], hasMore: true }))
    act(() => result.current.fetchNext())
    await waitFor(() => expect(result.current.items).toEqual(['a', 'b', 'c', 'd']))
    act(() => result.current.fetchNext())
    await waitFor(() => expect(result.current).toMatchObject({ items: titles, hasMore: false }))
    const { items } = result.current
    rerender()
    expect(result.current.items).toBe(items)
    const pages = ['', '&offset=2', '&offset=4'].map((query) => `GET /notes?limit=2${query}`)
    expect(app.requests).toEqual(pages)
    titles.pop()
    await act(() => result.current.refetch())
    await waitFor(() => expect(result.current).toMatchObject({ items: ['a', 'b', 'c', 'd'], hasMore: false }))
    expect(app.requests).toEqual([...pages, ...pages.slice(0, 2)])
  })
})
