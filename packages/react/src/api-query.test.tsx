// @vitest-environment happy-dom
import { once } from 'node:events'
import { createHttpClient } from '@sdk/frontend'
import {
  dehydrate,
  HydrationBoundary,
  QueryClient,
  useSuspenseQuery,
  type DehydratedState,
} from '@tanstack/react-query'
import { act, renderHook, screen, waitFor } from '@testing-library/react'
import { Suspense, type ReactNode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { respond, createFakeAuth, createGate, startTestApp } from './app.test.fixture.tsx'
import { apiQueryOptions } from './api-query.ts'
import { SdkProvider } from './sdk-provider.tsx'
import { useAPI } from './use-api.ts'

const app = startTestApp()
afterEach(() => document.body.replaceChildren())

function wrapperOf(queryClient: QueryClient): (props: { children: ReactNode }) => ReactNode {
  return ({ children }) => <SdkProvider queryClient={queryClient}>{children}</SdkProvider>
}

describe('apiQueryOptions', () => {
  it('fills the cache that useAPI reads', async () => {
    app.routes['GET /a/7'] = respond(200, 'fetched before')
    const queryClient = new QueryClient()
    const client = createHttpClient()
    await queryClient.prefetchQuery(apiQueryOptions(client, 'GET /a/:id', { params: { id: 7 }, query: { v: 1 } }))
    const { result } = renderHook(
      () => useAPI('GET /a/:id', { params: { id: 7 }, query: { v: 1 }, staleTime: Infinity }),
      { wrapper: wrapperOf(queryClient) },
    )
    expect(result.current).toMatchObject({ isSuccess: true, isFetching: false, data: 'fetched before' })
    expect(app.requests).toEqual(['GET /a/7?v=1'])
  })

  it('puts the route first in its key', () => {
    const { queryKey } = apiQueryOptions(createHttpClient(), 'GET /a', { query: { done: true } })
    expect(queryKey).toEqual(['GET /a', { query: { done: true } }, null])
  })

  it('collects a stream and works with useSuspenseQuery', async () => {
    app.routes['GET /log'] = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('1\n2\n')
    const queryClient = new QueryClient()
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <SdkProvider queryClient={queryClient}>
        <Suspense>{children}</Suspense>
      </SdkProvider>
    )
    const { result } = renderHook(() => useSuspenseQuery(apiQueryOptions(createHttpClient(), 'GET /log')).data, {
      wrapper,
    })
    await waitFor(() => expect(result.current).toEqual([1, 2]))
    expect(app.requests).toEqual(['GET /log'])
  })

  it('has a JSON key that finds the data in the cache', async () => {
    app.routes['*'] = respond(200, 'there')
    const queryClient = new QueryClient()
    const options = apiQueryOptions(createHttpClient(), 'GET /a', { query: { id: 2n ** 64n, none: undefined } })
    await queryClient.fetchQuery(options)
    expect(queryClient.getQueryData(options.queryKey)).toBe('there')
  })

  it('aborts the request when the cache is cleared', async () => {
    const aborted = createGate<string>()
    const requested = createGate()
    app.routes['GET /a'] = (_request, response) => {
      void once(response, 'close').then(() => aborted.open('aborted'))
      requested.open()
    }
    const queryClient = new QueryClient()
    const fetched = queryClient.fetchQuery(apiQueryOptions(createHttpClient(), 'GET /a')).catch(() => 'stopped')
    await requested.opened
    queryClient.clear()
    expect(await aborted.opened).toBe('aborted')
    expect(await fetched).toBe('stopped')
  })

  it('rejects with the ApiError', async () => {
    app.routes['GET /a'] = respond(404, {})
    const options = apiQueryOptions(createHttpClient(), 'GET /a')
    await expect(new QueryClient().fetchQuery(options)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('promise 9: throws while auth is loading and has a key for each user', () => {
    const auth = createFakeAuth()
    const client = createHttpClient({ auth })
    expect(() => apiQueryOptions(client, 'GET /a')).toThrow('auth is still loading')
    auth.become('ada')
    expect(apiQueryOptions(client, 'GET /a').queryKey[2]).toBe('ada')
  })

  it('promise 9: discards a response for another user', async () => {
    const auth = createFakeAuth()
    auth.become('ada')
    const requested = createGate()
    const gate = createGate()
    app.routes['GET /a'] = async (request, response) => {
      requested.open()
      await gate.opened
      respond(200, 'of ada')(request, response)
    }
    const queryClient = new QueryClient()
    const fetched = queryClient.fetchQuery(apiQueryOptions(createHttpClient({ auth }), 'GET /a'))
    await requested.opened
    auth.become('bob')
    gate.open()
    await expect(fetched).rejects.toMatchObject({ name: 'AbortError' })
    expect(queryClient.getQueryCache().getAll()[0]?.state.data).toBeUndefined()
  })

  it('promise 9: needs no AuthProvider if the client has an auth source', async () => {
    app.routes['GET /a'] = (request, response) => respond(200, request.headers.authorization)(request, response)
    const auth = createFakeAuth()
    auth.become('ada')
    const client = createHttpClient({ auth })
    const { result } = renderHook(() => useAPI('GET /a'), {
      wrapper: ({ children }) => <SdkProvider client={client}>{children}</SdkProvider>,
    })
    await waitFor(() => expect(result.current.data).toBe('Bearer token-of-ada'))
    act(() => auth.become('bob'))
    expect(result.current.data).toBeUndefined()
    await waitFor(() => expect(result.current.data).toBe('Bearer token-of-bob'))
  })
})

describe('a page rendered on a server', () => {
  const Part = (): ReactNode => {
    const { data, isLoading } = useAPI('GET /a', { staleTime: 60_000 })
    return <b>{isLoading ? 'loading' : JSON.stringify(data)}</b>
  }
  const page = (queryClient: QueryClient, state?: DehydratedState): ReactNode => (
    <SdkProvider queryClient={queryClient}>
      <HydrationBoundary state={state}>
        <Part />
      </HydrationBoundary>
    </SdkProvider>
  )

  /** Hydrates the HTML of the server in the document and returns the hydration errors. */
  async function hydrateIn(html: string, tree: ReactNode): Promise<unknown[]> {
    const root = document.body.appendChild(document.createElement('div'))
    root.innerHTML = html
    const errors: unknown[] = []
    await act(async () => void hydrateRoot(root, tree, { onRecoverableError: (error) => errors.push(error) }))
    return errors
  }

  it('promise 19: contains the data of HydrationBoundary and does not fetch it again', async () => {
    app.routes['GET /a'] = respond(200, 'from the server')
    const onServer = new QueryClient()
    await onServer.prefetchQuery(apiQueryOptions(createHttpClient(), 'GET /a'))
    const state = JSON.parse(JSON.stringify(dehydrate(onServer))) as DehydratedState
    const html = renderToString(page(new QueryClient(), state))
    expect(html).toBe('<b>&quot;from the server&quot;</b>')
    expect(await hydrateIn(html, page(new QueryClient(), state))).toEqual([])
    expect(screen.getByText('"from the server"')).toBeDefined()
    expect(app.requests).toEqual(['GET /a'])
  })

  it('promise 19: matches the first render of the client, which then fetches', async () => {
    app.routes['GET /a'] = respond(200, 'fetched')
    const html = renderToString(page(new QueryClient()))
    expect(html).toBe('<b>loading</b>')
    expect(app.requests).toEqual([])
    expect(await hydrateIn(html, page(new QueryClient()))).toEqual([])
    expect(await screen.findByText('"fetched"')).toBeDefined()
    expect(app.requests).toEqual(['GET /a'])
  })

  it('promise 19: sends no request for suspense on the server', async () => {
    app.routes['GET /a'] = respond(200, 'fetched')
    const Waiting = (): ReactNode => {
      const { data, isLoading } = useAPI('GET /a', { suspense: true })
      return <b>{isLoading ? 'loading' : JSON.stringify(data)}</b>
    }
    const tree = (): ReactNode => (
      <SdkProvider queryClient={new QueryClient()}>
        <Suspense fallback="waiting">
          <Waiting />
        </Suspense>
      </SdkProvider>
    )
    const fetch = vi.spyOn(globalThis, 'fetch')
    const html = renderToString(tree())
    expect(html).toContain('<b>loading</b>')
    expect(fetch).not.toHaveBeenCalled()
    expect(await hydrateIn(html, tree())).toEqual([])
    expect(await screen.findByText('"fetched"')).toBeDefined()
    expect(app.requests).toEqual(['GET /a'])
  })
})
