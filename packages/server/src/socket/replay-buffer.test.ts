import { describe, expect, it } from 'vitest'
import { SOCKET_LIMITS, type SocketLimits } from './limits.ts'
import { ReplayBuffer, ReplayBudget } from './replay-buffer.ts'

function rings(count: number, limits: SocketLimits): { budget: ReplayBudget; all: ReplayBuffer[] } {
  const budget = new ReplayBudget()
  return {
    budget,
    all: Array.from({ length: count }, () => new ReplayBuffer(0, { ...SOCKET_LIMITS, ...limits }, budget)),
  }
}

const kept = (ring: ReplayBuffer): string[] =>
  Array.from({ length: ring.last }, (_, index) => ring.get(index + 1)).filter((text) => text !== undefined)

describe('Ring', () => {
  it('keeps the last ones by number, by bytes and by time', () => {
    const [many, large, old] = rings(3, { replayMessages: 3, replayBytes: 10, replayTtl: 100 }).all as [
      ReplayBuffer,
      ReplayBuffer,
      ReplayBuffer,
    ]
    for (let n = 1; n <= 5; n++) many.add(`${n}`, 0)
    for (const text of ['aaaa', 'bbbb', 'cccc']) large.add(text, 0)
    for (const at of [0, 50, 120]) old.add(`${at}`, at)
    expect([kept(many), kept(large), kept(old)]).toEqual([
      ['3', '4', '5'],
      ['bbbb', 'cccc'],
      ['50', '120'],
    ])
    expect([many.first, many.get(2), many.get(6)]).toEqual([3, undefined, undefined])
  })

  it('forgets what the client has, and counts on', () => {
    const { all, budget } = rings(1, { replayMessages: 1_000 })
    const [ring] = all as [ReplayBuffer]
    for (let n = 1; n <= 500; n++) ring.add(`${n}`, 0)
    ring.forget(400)
    expect([ring.first, ring.last, ring.get(401)]).toEqual([401, 500, '401'])
    ring.forget(1_000)
    ring.add('next', 0)
    expect([ring.first, ring.last, kept(ring)]).toEqual([501, 501, ['next']])
    ring.clear()
    expect([budget.used, budget.buffers.size, ring.last]).toEqual([0, 0, 501])
  })

  it('takes from those that have kept for the longest time where all together keep too much', () => {
    const { all, budget } = rings(3, { replayTotalBytes: 100, replayBytes: 60 })
    const [hog, other, quick] = all as [ReplayBuffer, ReplayBuffer, ReplayBuffer]
    for (let n = 0; n < 5; n++) hog.add('x'.repeat(10), 0)
    for (let n = 0; n < 4; n++) other.add('y'.repeat(10), 0)
    for (let n = 0; n < 30; n++) {
      quick.add('z'.repeat(5), 0)
      quick.forget(quick.last - 1)
    }
    expect(kept(quick)).toEqual(['zzzzz'])
    for (let n = 0; n < 4; n++) quick.add('z'.repeat(10), 0)
    expect([kept(hog).length, kept(other).length, kept(quick).length]).toEqual([1, 4, 5])
    expect(budget.used).toBeLessThanOrEqual(100)
  })
})
