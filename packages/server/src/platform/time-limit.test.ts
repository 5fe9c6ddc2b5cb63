import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTimeLimit } from './time-limit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.restoreAllMocks() // must come first: restoring a spy later would bring the fake timers back
  vi.useRealTimers()
})

/** A delay that no other timer has, such as those of Node for requests of earlier test files. */
const LIMIT = 1_237

/** Returns a function that returns the delays of the timers that the limit has started, in ms. */
function timersOf(): () => unknown[] {
  const { mock } = vi.spyOn(globalThis, 'setTimeout')
  return () => mock.calls.map(([, ms]) => ms).filter((ms) => ms === 60 || ms === LIMIT)
}

const never = (): Promise<never> => new Promise(() => {})

describe('createTimeLimit', () => {
  it('passes results and errors on', async () => {
    const limit = createTimeLimit(100, () => new Error('late'))
    expect(await limit(Promise.resolve('done'))).toBe('done')
    await expect(limit(Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  })

  it('rejects each work at its own deadline, with one timer at a time', async () => {
    const limit = createTimeLimit(LIMIT, () => new Error('late'))
    const late: string[] = []
    const delays = timersOf()
    const start = (name: string, work: Promise<unknown>): unknown => limit(work).catch(() => void late.push(name))
    start('first', never())
    await vi.advanceTimersByTimeAsync(60)
    start('second', never())
    start('done', Promise.resolve())
    expect(delays()).toEqual([LIMIT])
    await vi.advanceTimersByTimeAsync(LIMIT - 61)
    expect(late).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(late).toEqual(['first'])
    await vi.advanceTimersByTimeAsync(60)
    expect(late).toEqual(['first', 'second'])
    expect(delays()).toHaveLength(2)
    start('third', never())
    await vi.advanceTimersByTimeAsync(LIMIT)
    expect(late).toEqual(['first', 'second', 'third'])
    expect(delays()).toHaveLength(3)
  })

  it('needs no timer without a limit', async () => {
    const limit = createTimeLimit(Infinity, () => new Error('late'))
    const start = vi.spyOn(globalThis, 'setTimeout')
    const result = limit(Promise.resolve(1))
    expect(start).not.toHaveBeenCalled()
    expect(await result).toBe(1)
  })
})
