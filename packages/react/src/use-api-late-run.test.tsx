// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { begin, createGate, Sdk, startTestApp } from './app.test.fixture.tsx'
import { useAPI } from './use-api.ts'

const app = startTestApp()

describe('useAPI with a durable agent that does not respond', () => {
  it('aborts the request if the id of the run is not known three seconds after a cancellation', async () => {
    const gone = createGate()
    app.routes['POST /agent/a'] = (_request, response) => void response.on('close', () => gone.open())
    const { result } = renderHook(() => useAPI('POST /agent/a'), { wrapper: Sdk })
    const call = begin(() => result.current.invoke({}))
    await waitFor(() => expect(app.requests).toEqual(['POST /agent/a']))
    const timers = vi.spyOn(globalThis, 'setTimeout')
    act(() => {
      result.current.cancel()
    })
    const [abort] = timers.mock.calls.find(([, ms]) => ms === 3000) ?? []
    timers.mockRestore()
    abort?.()
    await gone.opened
    await act(async () => expect(call).rejects.toMatchObject({ name: 'AbortError' }))
    expect(result.current).toMatchObject({ status: 'idle', error: null, run: null })
  })
})
