import { describe, expect, it } from 'vitest'
import { createConcurrencyLimit } from './concurrency-limit.ts'

/** Creates tasks that the test ends. */
function createWork() {
  const ends: (() => void)[] = []
  return { run: () => new Promise<void>((resolve) => ends.push(resolve)), running: () => ends.length, ends }
}

describe('createConcurrencyLimit', () => {
  it('limits concurrent tasks and runs the rest in order', async () => {
    const limit = createConcurrencyLimit({ concurrency: 2, queue: 3 })
    const { run, running, ends } = createWork()
    const done: number[] = []
    const all = [0, 1, 2, 3, 4].map((name) => limit(run).then(() => done.push(name)))
    await Promise.resolve()
    expect(running()).toBe(2)
    for (let at = 0; at < 5; at++) {
      ends[at]?.()
      await all[at]
      expect(running()).toBe(Math.min(5, at + 3))
    }
    expect(done).toEqual([0, 1, 2, 3, 4])
  })

  it('rejects with 503 and retryAfter if the queue is full', async () => {
    const limit = createConcurrencyLimit({ concurrency: 1, queue: 1 })
    const { run, ends } = createWork()
    const first = limit(run)
    const second = limit(async () => 'waited')
    await expect(limit(run)).rejects.toMatchObject({ status: 503, retryAfter: 1 })
    ends[0]?.()
    await first
    await expect(second).resolves.toBe('waited')
    await expect(limit(async () => 'free again')).resolves.toBe('free again')
  })

  it('runs the next task after one fails', async () => {
    const limit = createConcurrencyLimit({ concurrency: 1, queue: 1 })
    const failing = limit(() => Promise.reject(new Error('no')))
    const next = limit(async () => 'done')
    await expect(failing).rejects.toThrow('no')
    await expect(next).resolves.toBe('done')
  })
})
