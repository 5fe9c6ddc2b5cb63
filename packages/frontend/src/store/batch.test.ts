import { describe, expect, it, vi } from 'vitest'
import { createBatch } from './batch.ts'
import { createFakeClock } from '../fake-clock.test.fixture.ts'

describe('createBatch', () => {
  it('flushes the first touch at once and all others once an interval', async () => {
    const clock = createFakeClock()
    const flush = vi.fn<() => void>()
    const batch = createBatch(flush, { intervalMs: 16, clock })
    for (let count = 0; count < 100; count++) batch.touch()
    expect(flush).toHaveBeenCalledTimes(1)
    await clock.advance(16)
    expect(flush).toHaveBeenCalledTimes(2)
    await clock.advance(100)
    expect(flush).toHaveBeenCalledTimes(2)
    expect(clock.waiting).toBe(0)
    batch.touch()
    expect(flush).toHaveBeenCalledTimes(3)
  })

  it('forgets what waits when cancelled, and works on', async () => {
    const clock = createFakeClock()
    const flush = vi.fn<() => void>()
    const batch = createBatch(flush, { clock })
    batch.touch()
    batch.touch()
    batch.cancel()
    await clock.advance(100)
    expect(flush).toHaveBeenCalledTimes(1)
    batch.touch()
    expect(flush).toHaveBeenCalledTimes(2)
  })
})
