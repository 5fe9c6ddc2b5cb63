// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useEvents, useIsConnected } from './use-events.ts'

let sources: FakeSource[] = []

class FakeSource extends EventTarget {
  readyState = 0

  constructor() {
    super()
    sources.push(this)
  }

  emit(name: string, data = '{}'): void {
    act(() => void this.dispatchEvent(new MessageEvent(name, { data })))
  }

  close(): void {
    this.readyState = 2
  }
}

beforeEach(() => {
  sources = []
  vi.stubGlobal('EventSource', FakeSource)
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

describe('useEvents', () => {
  it('shares one stream and closes it after the last listener is removed', () => {
    const seen: number[] = []
    const one = renderHook(() => useEvents('manifest', ({ revision }) => seen.push(revision)))
    const other = renderHook(() => useEvents('manifest', ({ revision }) => seen.push(revision * 10)))
    expect(sources).toHaveLength(1)
    sources[0]?.emit('manifest', '{"revision":2}')
    one.unmount()
    sources[0]?.emit('manifest', '{"revision":3}')
    expect(seen).toEqual([2, 20, 30])
    expect(sources[0]?.readyState).toBe(0)
    other.unmount()
    expect(sources[0]?.readyState).toBe(2)
  })

  it('reconnects if the stream is closed, and delivers events of the new stream to existing listeners', () => {
    vi.useFakeTimers()
    const seen: number[] = []
    const { result } = renderHook(() => {
      useEvents('manifest', ({ revision }) => seen.push(revision))
      return useIsConnected()
    })
    sources[0]?.emit('open')
    expect(result.current).toBe(true)
    sources[0]?.close()
    sources[0]?.emit('error')
    expect(result.current).toBe(false)
    act(() => void vi.advanceTimersByTime(2000))
    expect(sources).toHaveLength(2)
    sources[1]?.emit('open')
    sources[1]?.emit('manifest', '{"revision":5}')
    expect(result.current).toBe(true)
    expect(seen).toEqual([5])
  })

  it('does not open a new stream while the browser reconnects', () => {
    const { result } = renderHook(() => useIsConnected())
    sources[0]?.emit('open')
    sources[0]?.emit('error')
    expect(result.current).toBe(false)
    sources[0]?.emit('open')
    expect(result.current).toBe(true)
    expect(sources).toHaveLength(1)
  })
})
