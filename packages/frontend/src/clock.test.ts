import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from './clock.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('systemClock', () => {
  it.each([1e12, Infinity])('does not run a timer of %d ms early', (ms) => {
    const run = vi.fn<() => void>()
    const stop = systemClock.after(ms, run)
    vi.advanceTimersByTime(86_400_000)
    expect(run).not.toHaveBeenCalled()
    stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})
