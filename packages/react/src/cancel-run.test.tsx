// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { begin, createGate, respond, Sdk, startTestApp } from './app.test.fixture.tsx'
import { useAPI } from './use-api.ts'

const app = startTestApp()

describe('cancel before the response', () => {
  it('cancels the run of an agent that returns a value after a 202', async () => {
    const sent = createGate<IncomingMessage>()
    const gate = createGate()
    app.routes['POST /agent/a'] = async (request, response) => {
      sent.open(request)
      await gate.opened
      response.writeHead(202, { 'content-type': 'application/json', 'run-id': 'r1' })
      response.end(JSON.stringify({ id: 'r1', status: 'running', waiting: null, stream: false }))
    }
    app.routes['DELETE /agent/a/runs/r1'] = (_request, response) => response.writeHead(204).end()
    const { result } = renderHook(() => useAPI('POST /agent/a'), { wrapper: Sdk })
    const call = begin(() => result.current.invoke({}))
    expect((await sent.opened).headers['prefer']).toBe('wait=2')
    act(() => {
      result.current.cancel()
    })
    expect(result.current).toMatchObject({ status: 'idle', run: null })
    gate.open()
    await act(async () => expect(call).rejects.toMatchObject({ name: 'AbortError' }))
    await waitFor(() => expect(app.requests).toContain('DELETE /agent/a/runs/r1'))
    expect(result.current).toMatchObject({ status: 'idle', data: undefined, error: null })
  })

  it('shows nothing of an agent that is not durable and responds after cancel', async () => {
    const gate = createGate()
    app.routes['POST /agent/a'] = async (request, response) => {
      await gate.opened
      respond(200, 'late')(request, response)
    }
    const { result } = renderHook(() => useAPI('POST /agent/a'), { wrapper: Sdk })
    const call = begin(() => result.current.invoke({}))
    await waitFor(() => expect(app.requests).toContain('POST /agent/a'))
    act(() => {
      result.current.cancel()
    })
    gate.open()
    await act(async () => expect(call).rejects.toMatchObject({ name: 'AbortError' }))
    expect(result.current).toMatchObject({ status: 'idle', data: undefined })
  })
})
