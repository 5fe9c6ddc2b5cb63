// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { respond, begin, createGate, Sdk, startTestApp } from './app.test.fixture.tsx'
import { useAPI } from './use-api.ts'
import { usePages } from './use-pages.ts'

const app = startTestApp()

describe('optimistic', () => {
  it('is not overwritten by a later fetch', async () => {
    app.routes['GET /items'] = respond(200, ['a'])
    const { result } = renderHook(
      () => ({
        list: useAPI('GET /items'),
        form: useAPI('POST /items', {
          optimistic: (cache, item) => cache.update('GET /items', (old) => [...(old as unknown[]), item]),
        }),
      }),
      { wrapper: Sdk },
    )
    await waitFor(() => expect(result.current.list.data).toEqual(['a']))
    const gate = createGate()
    app.routes['POST /items'] = (request, response) => gate.opened.then(() => respond(409, {})(request, response))
    const call = begin(() => result.current.form.invoke('b'))
    app.routes['GET /items'] = respond(200, ['a', 'of another user'])
    expect(await act(() => result.current.list.refetch())).toEqual(['a', 'b'])
    gate.open()
    await act(() => call.catch(() => {}))
    await waitFor(() => expect(result.current.list.data).toEqual(['a', 'of another user']))
  })

  it('is not overwritten by a later fetch of pages', async () => {
    app.routes['GET /items'] = (request, response) => {
      const isLast = request.url?.includes('cursor')
      const page = { data: [isLast ? 'b' : 'a'], pagination: { nextCursor: isLast ? null : '1' } }
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
              return { ...rest, data: [item, ...data] }
            }),
        }),
      }),
      { wrapper: Sdk },
    )
    await waitFor(() => expect(result.current.list.items).toEqual(['a']))
    act(() => void result.current.form.invoke('new'))
    await act(() => result.current.list.refetch())
    expect(result.current.list.items).toEqual(['new', 'a'])
    act(() => result.current.list.fetchNext())
    await waitFor(() => expect(result.current.list.items).toEqual(['new', 'a', 'b']))
  })
})
