import { describe, expect, it, vi } from 'vitest'
import { createBatch } from './batch.ts'
import { createFakeClock } from '../fake-clock.test.fixture.ts'

describe('createBatch', () => {
  it('flushes the first touch immediately and all others once per interval', async () => {
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

  it('discards pending touches on cancel and continues to work', async () => {
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
