// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import type { Run } from '@sdk/protocol'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { begin, createFakeAuth, createGate, respond, Sdk, startTestApp, type Handler } from './app.test.fixture.tsx'
import { useAPI } from './use-api.ts'

const app = startTestApp()
const RUN: Run = {
  id: 'r1',
  status: 'running',
  waiting: null,
  stream: true,
  attempt: 1,
  input: null,
  output: null,
  error: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
}
const CHUNKS = 'GET /agent/a/runs/r1/chunks'
const THREAD = 'GET /agent/a/threads/t1'

/** Responds with a stream of the run from a position, which the test writes. `gone` opens when the client disconnects. */
function stream(position = '1.0'): { handler: Handler; started: Promise<ServerResponse>; gone: Promise<void> } {
  const started = createGate<ServerResponse>()
  const gone = createGate()
  return {
    started: started.opened,
    gone: gone.opened,
    handler(_request, response) {
      response.on('close', () => gone.open())
      const headers = { 'content-type': 'application/x-ndjson', 'run-id': 'r1', 'run-position': position }
      response.writeHead(200, headers).flushHeaders()
      started.open(response)
    },
  }
}

function inThread(run: Partial<Run> | null): void {
  app.routes[THREAD] = respond(200, { state: null, run: run && { ...RUN, ...run } })
}

describe('useAPI with a durable agent', () => {
  it('continues a stream that is cut, without an error', async () => {
    const [first, second] = [stream(), stream('1.2')]
    app.routes['POST /agent/a'] = first.handler
    app.routes[CHUNKS] = second.handler
    const seen: unknown[] = []
    const { result } = renderHook(() => useAPI('POST /agent/a', { onChunk: (chunk) => seen.push(chunk) }), {
      wrapper: Sdk,
    })
    expect(result.current.run).toBeNull()
    const call = begin(() => result.current.invoke({}))
    const cut = await first.started
    cut.write('1\n2\n{"n"')
    await waitFor(() => expect(result.current.data).toEqual([1, 2]))
    expect(result.current.run).toEqual({ id: 'r1', status: 'running', waiting: null })
    cut.destroy()
    const response = await second.started
    expect(result.current).toMatchObject({ isLoading: true, isStreaming: true, error: null })
    response.end('{"n":3}\n \n')
    await act(async () => expect(await call).toEqual([1, 2, { n: 3 }]))
    expect(result.current).toMatchObject({ isSuccess: true, chunks: 3, run: { id: 'r1', status: 'done' } })
    expect(seen).toEqual([1, 2, { n: 3 }])
    expect(app.requests).toEqual(['POST /agent/a', `${CHUNKS}?at=1.2`])
  })

  it('removes retracted chunks, and calls onRetract before further chunks', async () => {
    const [first, second] = [stream(), stream('2.1')]
    app.routes['POST /agent/a'] = first.handler
    app.routes[CHUNKS] = second.handler
    const events: unknown[] = []
    const { result } = renderHook(
      () =>
        useAPI('POST /agent/a', {
          onChunk: (chunk) => events.push(chunk),
          onRetract: (keep) => events.push({ keep }),
        }),
      { wrapper: Sdk },
    )
    act(() => void result.current.invoke({}))
    const cut = await first.started
    cut.write('1\n2\n3\n')
    await waitFor(() => expect(result.current.chunks).toBe(3))
    cut.destroy()
    const response = await second.started
    await waitFor(() => expect(result.current).toMatchObject({ data: [1], chunks: 1 }))
    response.end('"b"\n \n')
    await waitFor(() => expect(result.current).toMatchObject({ isSuccess: true, data: [1, 'b'], chunks: 2 }))
    expect(events).toEqual([1, 2, 3, { keep: 1 }, 'b'])
  })

  it('is loading while the run waits, and never shows a 202 as data', async () => {
    const waiting = { event: 'approval', id: null, ask: { cost: 7 }, until: null }
    const run = { ...RUN, stream: false, status: 'waiting', waiting }
    app.routes['POST /agent/a'] = (_request, response) =>
      response.writeHead(202, { 'content-type': 'application/json', 'run-id': 'r1' }).end(JSON.stringify(run))
    const gate = createGate()
    app.routes['GET /agent/a/runs/r1'] = async (request, response) => {
      await gate.opened
      respond(200, { ...run, status: 'done', waiting: null, output: 'whole', endedAt: RUN.createdAt })(
        request,
        response,
      )
    }
    const { result } = renderHook(() => useAPI('POST /agent/a'), { wrapper: Sdk })
    const call = begin(() => result.current.invoke({}))
    await waitFor(() => expect(result.current.run?.waiting).toEqual(waiting))
    expect(result.current).toMatchObject({ status: 'loading', data: undefined, error: null })
    gate.open()
    await act(async () => expect(await call).toBe('whole'))
    expect(result.current).toMatchObject({ isSuccess: true, data: 'whole', run: { status: 'done', waiting: null } })
  })

  it('cancels the run', async () => {
    const { handler, started, gone } = stream()
    app.routes['POST /agent/a'] = handler
    app.routes['DELETE /agent/a/runs/r1'] = (_request, response) => response.writeHead(204).end()
    const { result } = renderHook(() => useAPI('POST /agent/a'), { wrapper: Sdk })
    const call = begin(() => result.current.invoke({}))
    const response = await started
    response.write('1\n')
    await waitFor(() => expect(result.current.data).toEqual([1]))
    act(() => {
      result.current.cancel()
    })
    await gone
    await act(async () => expect(call).rejects.toMatchObject({ name: 'AbortError' }))
    expect(result.current).toMatchObject({ status: 'idle', data: [1], error: null, run: { status: 'cancelled' } })
    await waitFor(() => expect(app.requests).toEqual(['POST /agent/a', 'DELETE /agent/a/runs/r1']))
  })

  it('does not cancel the run on unmount', async () => {
    const { handler, started, gone } = stream()
    app.routes['POST /agent/a'] = handler
    const { result, unmount } = renderHook(() => useAPI('POST /agent/a'), { wrapper: Sdk })
    act(() => void result.current.invoke({}))
    const response = await started
    response.write('1\n')
    await waitFor(() => expect(result.current.data).toEqual([1]))
    unmount()
    await gone
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(app.requests).toEqual(['POST /agent/a'])
  })
})

describe('useAPI with a thread', () => {
  it('sends the thread and a key', async () => {
    inThread(null)
    const seen: unknown[] = []
    app.routes['POST /agent/a'] = ({ headers }, response) => {
      seen.push(headers['run-thread'], headers['idempotency-key'])
      response.writeHead(204).end()
    }
    const { result } = renderHook(() => useAPI('POST /agent/a', { thread: 't1' }), { wrapper: Sdk })
    await act(() => result.current.invoke({}))
    expect(seen).toEqual(['t1', expect.stringMatching(/^[\d-]+$/)])
  })

  it('continues to show the run of the thread after a reload', async () => {
    inThread({})
    const { handler, started } = stream()
    app.routes[CHUNKS] = handler
    const events: unknown[] = []
    const { result } = renderHook(
      () =>
        useAPI('POST /agent/a', {
          thread: 't1',
          onChunk: (chunk) => events.push(chunk),
          onSuccess: (data) => events.push(data),
        }),
      { wrapper: Sdk, reactStrictMode: true },
    )
    expect(result.current.status).toBe('idle')
    const response = await started
    response.write('1\n2\n')
    await waitFor(() => expect(result.current).toMatchObject({ isStreaming: true, data: [1, 2] }))
    expect(result.current.run).toMatchObject({ id: 'r1', status: 'running' })
    response.end('3\n \n')
    await waitFor(() => expect(result.current).toMatchObject({ isSuccess: true, data: [1, 2, 3] }))
    await waitFor(() => expect(events).toEqual([1, 2, 3, [1, 2, 3]]))
    expect(app.requests).toEqual([THREAD, CHUNKS])
  })

  it('shows the result of a run that has ended, without reporting its end again', async () => {
    inThread({ stream: false, status: 'done', output: 'whole', endedAt: RUN.createdAt })
    let ends = 0
    const { result } = renderHook(() => useAPI('POST /agent/a', { thread: 't1', onSuccess: () => ends++ }), {
      wrapper: Sdk,
    })
    await waitFor(() => expect(result.current).toMatchObject({ isSuccess: true, data: 'whole' }))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(ends).toBe(0)
  })

  it.each([
    ['has no run', () => inThread(null)],
    ['has a cancelled run', () => inThread({ status: 'cancelled', endedAt: RUN.createdAt })],
    ['does not exist', () => {}],
    ['is not shown to guests', () => void (app.routes[THREAD] = respond(401, {}))],
    [
      'has a run whose chunks are deleted',
      () => {
        inThread({ status: 'done', endedAt: RUN.createdAt })
        app.routes[CHUNKS] = respond(410, {})
      },
    ],
  ])('stays idle if the thread %s', async (_name, prepare) => {
    prepare()
    const { result } = renderHook(() => useAPI('POST /agent/a', { thread: 't1' }), { wrapper: Sdk })
    await waitFor(() => expect(app.requests.length).toBeGreaterThan(0))
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)))
    expect(result.current).toMatchObject({ status: 'idle', error: null, chunks: 0 })
  })

  it('stops to look for a run on unmount', async () => {
    const gone = createGate()
    app.routes[THREAD] = (_request, response) => void response.on('close', () => gone.open())
    const { unmount } = renderHook(() => useAPI('POST /agent/a', { thread: 't1' }), { wrapper: Sdk })
    await waitFor(() => expect(app.requests).toEqual([THREAD]))
    unmount()
    await gone.opened
  })

  it('shows another run after the thread changes', async () => {
    inThread({ stream: false, status: 'done', output: 'one', endedAt: RUN.createdAt })
    const other = { ...RUN, id: 'r2', stream: false, status: 'done', output: 'two', endedAt: RUN.createdAt }
    app.routes['GET /agent/a/threads/t2'] = respond(200, { state: null, run: other })
    const { result, rerender } = renderHook(({ thread }) => useAPI('POST /agent/a', { thread }), {
      wrapper: Sdk,
      initialProps: { thread: 't1' },
    })
    await waitFor(() => expect(result.current.data).toBe('one'))
    rerender({ thread: 't2' })
    expect(result.current.data).toBeUndefined()
    await waitFor(() => expect(result.current.data).toBe('two'))
  })

  it('prefers an invoke to the run that it finds', async () => {
    const gate = createGate()
    app.routes[THREAD] = async (request, response) => {
      await gate.opened
      respond(200, { state: null, run: RUN })(request, response)
    }
    app.routes['POST /agent/a'] = respond(200, 'new')
    const { result } = renderHook(() => useAPI('POST /agent/a', { thread: 't1' }), { wrapper: Sdk })
    await act(() => result.current.invoke({}))
    gate.open()
    await act(() => new Promise((resolve) => setTimeout(resolve, 30)))
    expect(result.current.data).toBe('new')
    expect(app.requests).not.toContain(CHUNKS)
  })

  it.each([undefined, 't1'])('cancels the run as soon as its id is known, with the thread %s', async (thread) => {
    inThread(null)
    const gate = createGate()
    const { handler, gone } = stream()
    app.routes['POST /agent/a'] = async (request, response) => {
      await gate.opened
      handler(request, response)
    }
    app.routes['DELETE /agent/a/runs/r1'] = (_request, response) => response.writeHead(204).end()
    const { result } = renderHook(() => useAPI('POST /agent/a', { thread }), { wrapper: Sdk })
    const call = begin(() => result.current.invoke({}))
    await waitFor(() => expect(app.requests).toContain('POST /agent/a'))
    act(() => {
      result.current.cancel()
    })
    expect(result.current.status).toBe('idle')
    gate.open()
    await gone
    await act(async () => expect(call).rejects.toMatchObject({ name: 'AbortError' }))
    await waitFor(() => expect(app.requests).toContain('DELETE /agent/a/runs/r1'))
    expect(result.current).toMatchObject({ status: 'idle', error: null })
  })

  it('waits until it is known who is signed in, and shows nothing of the previous user', async () => {
    const gate = createGate()
    app.routes[THREAD] = async ({ headers }, response) => {
      const isAda = headers.authorization === 'Bearer token-of-ada'
      const run = { ...RUN, stream: false, status: 'done', output: 'of Ada', endedAt: RUN.createdAt }
      if (!isAda) await gate.opened
      respond(isAda ? 200 : 404, { state: null, run })({} as never, response)
    }
    const auth = createFakeAuth()
    const { result } = renderHook(() => useAPI('POST /agent/a', { thread: 't1' }), { wrapper: auth.Providers })
    expect(app.requests).toEqual([])
    act(() => auth.become('ada'))
    await waitFor(() => expect(result.current.data).toBe('of Ada'))
    act(() => auth.become('bob'))
    expect(result.current.data).toBeUndefined()
    await waitFor(() => expect(app.requests).toEqual([THREAD, THREAD]))
    act(() => auth.become('ada')) // while the request of Bob is pending
    await waitFor(() => expect(result.current.data).toBe('of Ada'))
    gate.open()
  })
})
