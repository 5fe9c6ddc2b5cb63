import { ApiError } from '@sdk/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createManualClock } from '../instant-clock.test.fixture.ts'
import { createRunRetries } from './run-retries.ts'

const lost = new ApiError('NETWORK_ERROR', 'lost')
const { signal } = new AbortController()

afterEach(() => void vi.unstubAllGlobals())

describe('createRunRetries', () => {
  it('ends the delay when the page is online again', async () => {
    const page = new EventTarget()
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
    vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
    const clock = createManualClock()
    const paused = createRunRetries({ clock, signal, retry: 3 }).pause(lost)
    expect(clock.waiting).toBeGreaterThanOrEqual(50)
    page.dispatchEvent(new Event('offline'))
    expect(clock.waiting).not.toBeNull()
    page.dispatchEvent(new Event('online'))
    await paused
    expect(clock.waiting).toBeNull()
  })

  it('does not end a delay that the server requests', async () => {
    const page = new EventTarget()
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
    vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
    const clock = createManualClock()
    const busy = new ApiError('SERVICE_UNAVAILABLE', 'busy', { retryAfter: 9 })
    const paused = createRunRetries({ clock, signal, retry: 3 }).pause(busy)
    page.dispatchEvent(new Event('online'))
    expect(clock.waiting).toBeGreaterThanOrEqual(9000)
    clock.ring()
    await paused
  })

  it('does not count failures while the page is offline', async () => {
    vi.stubGlobal('navigator', { onLine: false })
    const clock = createManualClock(() => clock.ring())
    const retries = createRunRetries({ clock, signal, retry: 3 })
    for (let count = 0; count < 100; count++) await retries.pause(lost)
    vi.stubGlobal('navigator', { onLine: true })
    for (let count = 0; count < 30; count++) await retries.pause(lost)
    await expect(retries.pause(lost)).rejects.toBe(lost)
    retries.reset()
    await retries.pause(lost)
  })

  it.each([
    ['CONFLICT', {}],
    ['INVALID_RESPONSE', {}],
    ['RUN_GONE', { status: 410 }],
  ])('throws %s at once', async (code, options) => {
    const error = new ApiError(code, 'no', options)
    await expect(createRunRetries({ clock: createManualClock(), signal, retry: 3 }).pause(error)).rejects.toBe(error)
  })
})
