import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTimeLimit } from './time-limit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = (): Promise<never> => new Promise(() => {})

describe('createTimeLimit', () => {
  it('passes results and errors on', async () => {
    const limit = createTimeLimit(100, () => new Error('late'))
    expect(await limit(Promise.resolve('done'))).toBe('done')
    await expect(limit(Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  })

  it('rejects each work at its own deadline, with one timer at a time', async () => {
    const limit = createTimeLimit(100, () => new Error('late'))
    const late: string[] = []
    const start = (name: string, work: Promise<unknown>): unknown => limit(work).catch(() => void late.push(name))
    start('first', never())
    await vi.advanceTimersByTimeAsync(60)
    start('second', never())
    start('done', Promise.resolve())
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(39)
    expect(late).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(late).toEqual(['first'])
    await vi.advanceTimersByTimeAsync(60)
    expect(late).toEqual(['first', 'second'])
    expect(vi.getTimerCount()).toBe(0)
    start('third', never())
    await vi.advanceTimersByTimeAsync(100)
    expect(late).toEqual(['first', 'second', 'third'])
  })

  it('needs no timer without a limit', async () => {
    expect(await createTimeLimit(Infinity, () => new Error('late'))(Promise.resolve(1))).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
