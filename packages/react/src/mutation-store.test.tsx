// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStream, Sdk, startTestApp } from './app.test.fixture.tsx'
import { useAPI } from './use-api.ts'

const app = startTestApp()

const unhandled = vi.fn<(reason: unknown) => void>()
beforeEach(() => void process.on('unhandledRejection', unhandled.mockClear()))
afterEach(() => void process.off('unhandledRejection', unhandled))

describe('useAPI with a route that streams', () => {
  it('promise 13: passes every chunk to onChunk in order and collects them in data', async () => {
    const { handler, started } = createStream()
    app.routes['POST /agent/a'] = handler
    const seen: unknown[] = []
    const { result } = renderHook(() => useAPI('POST /agent/a', { onChunk: (chunk) => seen.push(chunk) }), {
      wrapper: Sdk,
    })
    act(() => void result.current.invoke({}))
    const response = await started
    response.write('{"n":1}\n{"n"')
    await waitFor(() => expect(result.current.data).toEqual([{ n: 1 }]))
    expect(result.current).toMatchObject({ isLoading: true, isStreaming: true, chunks: 1, isSuccess: false })
    response.write(':2}\n')
    await waitFor(() => expect(result.current.data).toEqual([{ n: 1 }, { n: 2 }]))
    response.end('{"n":3}')
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    expect(result.current).toMatchObject({ isLoading: false, isStreaming: false, chunks: 3 })
    expect(result.current.data).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(seen).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('splits by the delimiter, and calls the latest onChunk', async () => {
    const { handler, started } = createStream('text/plain')
    app.routes['POST /agent/a'] = handler
    const seen: string[] = []
    const { result, rerender } = renderHook(
      ({ name }) =>
        useAPI('POST /agent/a', { delimiter: '||', onChunk: (chunk) => seen.push(`${name} ${String(chunk)}`) }),
      { wrapper: Sdk, initialProps: { name: 'old' } },
    )
    act(() => void result.current.invoke({}))
    const response = await started
    response.write('one||')
    await waitFor(() => expect(seen).toEqual(['old one']))
    rerender({ name: 'new' })
    response.end('two')
    await waitFor(() => expect(result.current.data).toEqual(['one', 'two']))
    expect(seen).toEqual(['old one', 'new two'])
  })

  it('promise 13: waits for onChunk before it reads the next chunk', async () => {
    app.routes['POST /agent/a'] = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('1\n2\n3\n')
    const steps: string[] = []
    const onChunk = async (chunk: unknown): Promise<void> => {
      steps.push(`start ${String(chunk)}`)
      await new Promise(setImmediate)
      steps.push(`end ${String(chunk)}`)
    }
    const { result } = renderHook(() => useAPI('POST /agent/a', { onChunk }), { wrapper: Sdk })
    await act(() => result.current.invoke({}))
    expect(steps).toEqual(['start 1', 'end 1', 'start 2', 'end 2', 'start 3', 'end 3'])
  })

  it('promise 13: renders about once per frame for 20,000 chunks', async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join('')
    app.routes['POST /agent/a'] = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines)
    let renders = 0
    const { result } = renderHook(
      () => {
        renders++
        return useAPI('POST /agent/a')
      },
      { wrapper: Sdk },
    )
    const start = performance.now()
    await act(() => result.current.invoke({}))
    const frames = (performance.now() - start) / 16
    expect(result.current.chunks).toBe(20_000)
    expect(renders).toBeLessThan(frames + 10)
  })

  it('promise 14: is stopped by cancel without an error and keeps its chunks', async () => {
    const { handler, started, gone } = createStream()
    app.routes['POST /agent/a'] = handler
    const { result } = renderHook(() => useAPI('POST /agent/a'), { wrapper: Sdk })
    let promise: Promise<unknown> = Promise.resolve()
    act(() => void (promise = result.current.invoke({})))
    const response = await started
    response.write('1\n')
    await waitFor(() => expect(result.current.data).toEqual([1]))
    act(() => {
      result.current.cancel()
    })
    expect(result.current).toMatchObject({ status: 'idle', isLoading: false, isStreaming: false, isError: false })
    await expect(promise).rejects.toMatchObject({ name: 'AbortError' })
    await gone
    expect(result.current).toMatchObject({ status: 'idle', data: [1], error: null })
    await new Promise(setImmediate)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('promise 14: is stopped by a new invoke and on unmount', async () => {
    const streams = [createStream(), createStream()]
    let count = 0
    app.routes['POST /agent/a'] = (request, response) => streams[count++]?.handler(request, response)
    const { result, unmount } = renderHook(() => useAPI('POST /agent/a'), { wrapper: Sdk, reactStrictMode: true })
    act(() => void result.current.invoke({}))
    const first = await streams[0]?.started
    first?.write('1\n')
    await waitFor(() => expect(result.current.data).toEqual([1]))
    act(() => void result.current.invoke({}))
    await streams[0]?.gone
    const second = await streams[1]?.started
    second?.write('2\n')
    await waitFor(() => expect(result.current.data).toEqual([2]))
    expect(result.current.error).toBeNull()
    unmount()
    await streams[1]?.gone
  })

  it('promise 14: fails but keeps its chunks if the last chunk is an error', async () => {
    const envelope = { error: { code: 'CONFLICT', message: 'taken', details: [] } }
    app.routes['POST /agent/a'] = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(`1\n2\n${JSON.stringify(envelope)}\n`)
    const { result } = renderHook(() => useAPI('POST /agent/a'), { wrapper: Sdk })
    await act(() => result.current.invoke({}).catch(() => {}))
    expect(result.current).toMatchObject({
      isError: true,
      isSuccess: false,
      isStreaming: false,
      data: [1, 2],
      error: { code: 'CONFLICT', status: 409 },
    })
  })
  it('promise 14: fails but keeps its chunks if the connection is cut', async () => {
    const { handler, started } = createStream()
    app.routes['POST /agent/a'] = handler
    const { result } = renderHook(() => useAPI('POST /agent/a'), { wrapper: Sdk })
    act(() => void result.current.invoke({}))
    const response = await started
    response.write('1\n2\n')
    await waitFor(() => expect(result.current.data).toEqual([1, 2]))
    response.destroy()
    await waitFor(() => expect(result.current.isError).toBe(true))
    expect(result.current).toMatchObject({ isStreaming: false, data: [1, 2], error: { code: 'NETWORK_ERROR' } })
  })
})
