// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import { createHttpClient } from '@sdk/frontend'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { createStream, Sdk, startTestApp } from './app.test.fixture.tsx'
import { SdkProvider } from './sdk-provider.tsx'
import { useAPI } from './use-api.ts'

const app = startTestApp()

function lines(count: number): string {
  return Array.from({ length: count }, (_, n) => `{"n":${n}}\n`).join('')
}

describe('useAPI with a GET route that streams', () => {
  it('promise 13: shows chunks when they arrive', async () => {
    const { handler, started } = createStream()
    app.routes['GET /log'] = handler
    const { result } = renderHook(() => useAPI('GET /log'), { wrapper: Sdk, reactStrictMode: true })
    expect(result.current).toMatchObject({ isLoading: true, isStreaming: false, chunks: 0 })
    const response = await started
    response.write('{"n":1}\n{"n"')
    await waitFor(() => expect(result.current.data).toEqual([{ n: 1 }]))
    expect(result.current).toMatchObject({ isLoading: false, isFetching: true, isStreaming: true, chunks: 1 })
    response.write(':2}\n')
    await waitFor(() => expect(result.current.data).toEqual([{ n: 1 }, { n: 2 }]))
    response.end('{"n":3}')
    await waitFor(() => expect(result.current.isFetching).toBe(false))
    expect(result.current).toMatchObject({ isSuccess: true, isStreaming: false, chunks: 3 })
    expect(result.current.data).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(app.requests).toEqual(['GET /log'])
  })

  it('promise 13: renders about once per frame for 20,000 chunks', async () => {
    app.routes['GET /log'] = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines(20_000))
    let renders = 0
    const seen: number[] = []
    const start = performance.now()
    const { result } = renderHook(
      () => {
        renders++
        return useAPI('GET /log', { onChunk: (chunk) => seen.push((chunk as { n: number }).n) })
      },
      { wrapper: Sdk },
    )
    await waitFor(() => expect(result.current).toMatchObject({ chunks: 20_000, isFetching: false }))
    expect(renders).toBeLessThan((performance.now() - start) / 16 + 10)
    expect(seen).toEqual(Array.from({ length: 20_000 }, (_, n) => n))
  })

  it('promise 13: uses at most 200 ms of CPU for 20,000 chunks', async () => {
    const bytes = new TextEncoder().encode(lines(20_000))
    const parts = Array.from({ length: bytes.length / 4096 + 1 }, (_, n) => bytes.subarray(n * 4096, (n + 1) * 4096))
    // The network of happy-dom is not used, since it must not be measured.
    const fetch = async (): Promise<Response> => {
      const response = { ok: true, status: 200, headers: new Headers({ 'content-type': 'application/x-ndjson' }) }
      const body = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part)
          controller.close()
        },
      })
      return { ...response, body } as unknown as Response
    }
    const client = createHttpClient({ fetch })
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <SdkProvider client={client}>{children}</SdkProvider>
    )
    const costs: number[] = []
    for (let round = 0; round < 4; round++) {
      const before = process.cpuUsage()
      const { result, unmount } = renderHook(() => useAPI('GET /log'), { wrapper })
      await waitFor(() => expect(result.current).toMatchObject({ chunks: 20_000, isFetching: false }))
      const { user, system } = process.cpuUsage(before)
      costs.push((user + system) / 1000)
      unmount()
    }
    // Only the best round counts, since the process also does other work.
    expect(Math.min(...costs)).toBeLessThan(200)
  })

  it('passes every chunk to every component', async () => {
    const { handler, started } = createStream()
    app.routes['GET /log'] = handler
    const seen: string[] = []
    const { result } = renderHook(
      () => [
        useAPI('GET /log', { onChunk: (chunk) => seen.push(`first ${String(chunk)}`) }),
        useAPI('GET /log', { onChunk: (chunk) => seen.push(`second ${String(chunk)}`) }),
      ],
      { wrapper: Sdk },
    )
    const response = await started
    response.end('1\n2\n')
    await waitFor(() => expect(result.current[1]?.data).toEqual([1, 2]))
    expect(seen).toEqual(['first 1', 'second 1', 'first 2', 'second 2'])
    expect(app.requests).toEqual(['GET /log'])
  })

  it('promise 14: is stopped by cancel without an error and keeps its chunks', async () => {
    const { handler, started, gone } = createStream()
    app.routes['GET /log'] = handler
    const { result } = renderHook(() => useAPI('GET /log'), { wrapper: Sdk })
    const response = await started
    response.write('1\n')
    await waitFor(() => expect(result.current.data).toEqual([1]))
    act(() => {
      result.current.cancel()
    })
    await gone
    await waitFor(() => expect(result.current.isFetching).toBe(false))
    expect(result.current).toMatchObject({ isStreaming: false, isError: false, data: [1], chunks: 1 })
  })

  it('promise 14: is stopped on unmount', async () => {
    const { handler, started, gone } = createStream()
    app.routes['GET /log'] = handler
    const { result, unmount } = renderHook(() => useAPI('GET /log'), { wrapper: Sdk })
    const response = await started
    response.write('1\n')
    await waitFor(() => expect(result.current.isStreaming).toBe(true))
    unmount()
    await gone
  })

  it('promise 14: fails but keeps its chunks if the last chunk is an error', async () => {
    const { handler, started } = createStream()
    app.routes['GET /log'] = handler
    const { result } = renderHook(() => useAPI('GET /log'), { wrapper: Sdk })
    const response = await started
    response.end('1\n2\n{"error":{"code":"CONFLICT","message":"taken","details":[]}}\n')
    await waitFor(() => expect(result.current.isError).toBe(true))
    expect(result.current).toMatchObject({
      isSuccess: false,
      isStreaming: false,
      data: [1, 2],
      chunks: 2,
      error: { code: 'CONFLICT', status: 409 },
    })
  })

  it('starts again on refetch, which stops the current stream', async () => {
    const streams = [createStream(), createStream()]
    let count = 0
    app.routes['GET /log'] = (request, response) => streams[count++]?.handler(request, response)
    const { result } = renderHook(() => useAPI('GET /log'), { wrapper: Sdk })
    const first = await streams[0]?.started
    first?.write('1\n')
    await waitFor(() => expect(result.current.data).toEqual([1]))
    act(() => void result.current.refetch())
    await streams[0]?.gone
    const second = await streams[1]?.started
    second?.end('2\n')
    await waitFor(() => expect(result.current.data).toEqual([2]))
    await waitFor(() => expect(result.current).toMatchObject({ isFetching: false, isError: false }))
  })
})
