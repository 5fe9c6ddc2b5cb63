import { describe, expect, it } from 'vitest'
import { SOCKET_LIMITS, type SocketLimits } from './limits.ts'
import { ReplayBuffer, ReplayBudget } from './replay-buffer.ts'

function createBuffers(count: number, limits: SocketLimits): { budget: ReplayBudget; all: ReplayBuffer[] } {
  const budget = new ReplayBudget()
  return {
    budget,
    all: Array.from({ length: count }, () => new ReplayBuffer(0, { ...SOCKET_LIMITS, ...limits }, budget)),
  }
}

const stored = (buffer: ReplayBuffer): string[] =>
  Array.from({ length: buffer.last }, (_, index) => buffer.get(index + 1)).filter((text) => text !== undefined)

describe('ReplayBuffer', () => {
  it('keeps the last messages by count, bytes and age', () => {
    const [many, large, old] = createBuffers(3, { replayMessages: 3, replayBytes: 10, replayTtl: 100 }).all as [
      ReplayBuffer,
      ReplayBuffer,
      ReplayBuffer,
    ]
    for (let n = 1; n <= 5; n++) many.add(`${n}`, 0)
    for (const text of ['aaaa', 'bbbb', 'cccc']) large.add(text, 0)
    for (const at of [0, 50, 120]) old.add(`${at}`, at)
    expect([stored(many), stored(large), stored(old)]).toEqual([
      ['3', '4', '5'],
      ['bbbb', 'cccc'],
      ['50', '120'],
    ])
    expect([many.first, many.get(2), many.get(6)]).toEqual([3, undefined, undefined])
  })

  it('discards received messages and continues counting', () => {
    const { all, budget } = createBuffers(1, { replayMessages: 1_000 })
    const [buffer] = all as [ReplayBuffer]
    for (let n = 1; n <= 500; n++) buffer.add(`${n}`, 0)
    buffer.forget(400)
    expect([buffer.first, buffer.last, buffer.get(401)]).toEqual([401, 500, '401'])
    buffer.forget(1_000)
    buffer.add('next', 0)
    expect([buffer.first, buffer.last, stored(buffer)]).toEqual([501, 501, ['next']])
    buffer.clear()
    expect([budget.used, budget.buffers.size, buffer.last]).toEqual([0, 0, 501])
  })

  it('evicts messages of the oldest buffers if the total limit is exceeded', () => {
    const { all, budget } = createBuffers(3, { replayTotalBytes: 100, replayBytes: 60 })
    const [hog, other, quick] = all as [ReplayBuffer, ReplayBuffer, ReplayBuffer]
    for (let n = 0; n < 5; n++) hog.add('x'.repeat(10), 0)
    for (let n = 0; n < 4; n++) other.add('y'.repeat(10), 0)
    for (let n = 0; n < 30; n++) {
      quick.add('z'.repeat(5), 0)
      quick.forget(quick.last - 1)
    }
    expect(stored(quick)).toEqual(['zzzzz'])
    for (let n = 0; n < 4; n++) quick.add('z'.repeat(10), 0)
    expect([stored(hog).length, stored(other).length, stored(quick).length]).toEqual([1, 4, 5])
    expect(budget.used).toBeLessThanOrEqual(100)
  })
})
