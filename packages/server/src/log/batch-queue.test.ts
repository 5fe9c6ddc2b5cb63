import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBatchQueue } from './batch-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function collect(options: { hold?: () => Promise<void> } = {}) {
  const batches: { items: number[]; dropped: number }[] = []
  const queue = createBatchQueue<number>({
    drain(items, dropped) {
      batches.push({ items, dropped })
      return options.hold?.()
    },
    maxBatch: 5,
    maxQueued: 10,
  })
  return { queue, batches, items: () => batches.map((batch) => batch.items) }
}

describe('createBatchQueue', () => {
  it('drains the items of 100 ms in one batch, in order', () => {
    const { queue, items } = collect()
    queue.add(1)
    vi.advanceTimersByTime(60)
    queue.add(2)
    vi.advanceTimersByTime(39)
    expect(items()).toEqual([])
    vi.advanceTimersByTime(1)
    expect(items()).toEqual([[1, 2]])
  })

  it('has a timer only while items are queued, which does not keep the process alive', () => {
    const { queue } = collect()
    expect(vi.getTimerCount()).toBe(0)
    const timer = timerOf(() => {
      queue.add(1)
      queue.add(2)
    })
    expect(vi.getTimerCount()).toBe(1)
    expect(timer?.hasRef()).toBe(false)
    void queue.flush()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('drains immediately if a batch is full', () => {
    const { queue, items } = collect()
    for (let n = 1; n <= 7; n++) queue.add(n)
    expect(items()).toEqual([[1, 2, 3, 4, 5]])
    void queue.flush()
    expect(items()[1]).toEqual([6, 7])
  })

  it('drains immediately on addSoon, at most once per 100 ms', () => {
    const { queue, items } = collect()
    queue.add(1)
    queue.addSoon(2)
    expect(items()).toEqual([[1, 2]])
    queue.addSoon(3)
    expect(items()).toHaveLength(1)
    vi.advanceTimersByTime(100)
    expect(items()).toEqual([[1, 2], [3]])
    vi.advanceTimersByTime(100)
    queue.addSoon(4)
    expect(items()).toEqual([[1, 2], [3], [4]])
  })

  it('keeps the newest items while the drain is busy, and reports how many it dropped', async () => {
    let release = (): void => {}
    const { queue, batches } = collect({ hold: () => new Promise((resolve) => (release = resolve)) })
    for (let n = 1; n <= 5; n++) queue.add(n)
    for (let n = 6; n <= 30; n++) queue.add(n)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(batches).toHaveLength(1)
    release()
    await vi.advanceTimersByTimeAsync(0)
    expect(batches[1]).toEqual({ items: [21, 22, 23, 24, 25, 26, 27, 28, 29, 30], dropped: 15 })
    release()
    await vi.advanceTimersByTimeAsync(0)
    queue.add(31)
    await vi.advanceTimersByTimeAsync(100)
    expect(batches[2]).toEqual({ items: [31], dropped: 0 })
  })

  it('flushes while the drain is busy, and resolves when all batches are drained', async () => {
    const releases: (() => void)[] = []
    const { queue, items } = collect({ hold: () => new Promise((resolve) => releases.push(resolve)) })
    queue.add(1)
    void queue.flush()
    queue.add(2)
    let isOut = false
    void Promise.resolve(queue.flush()).then(() => (isOut = true))
    expect(items()).toEqual([[1], [2]])
    releases[1]?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(isOut).toBe(false)
    releases[0]?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(isOut).toBe(true)
    expect(queue.flush()).toBeUndefined()
  })

  it.each([
    ['throws', () => expectNever()],
    ['rejects', () => Promise.reject(new Error('full'))],
  ])('continues if the drain %s', async (_, fail) => {
    const seen: number[] = []
    const queue = createBatchQueue<number>({
      drain(items) {
        seen.push(...items)
        return fail()
      },
    })
    queue.add(1)
    await queue.flush()
    queue.add(2)
    await vi.advanceTimersByTimeAsync(100)
    expect(seen).toEqual([1, 2])
  })
})

function expectNever(): never {
  throw new Error('full')
}

/** Returns the last timer that `run` sets. Restoring a spy would reset the fake clock for every other file. */
function timerOf(run: () => void): NodeJS.Timeout | undefined {
  const set = globalThis.setTimeout
  let timer: NodeJS.Timeout | undefined
  const noting = (callback: () => void, ms?: number): NodeJS.Timeout => (timer = set(callback, ms))
  globalThis.setTimeout = Object.assign(noting, set)
  try {
    run()
  } finally {
    globalThis.setTimeout = set
  }
  return timer
}
