import { describe, expect, it } from 'vitest'
import { createMemorySequence } from './memory-sequence.ts'

// The contract of every engine is tested in tests/contract; these tests need a fake clock or a limit.

describe('createMemorySequence', () => {
  it('forgets a session one hour after its last message', async () => {
    const { sequence, wait } = create()
    sequence.set('ada', 1)
    sequence.set('grace', 1)
    wait(3_599_999)
    sequence.set('ada', 2)
    wait(1)
    expect([await sequence.get('ada'), await sequence.get('grace')]).toEqual([2, null])
    wait(3_599_999)
    expect(await sequence.get('ada')).toBeNull()
  })

  it('forgets the least recently used sessions beyond its limit', async () => {
    const { sequence } = create({ sessions: 3 })
    for (const id of ['a', 'b', 'c', 'a', 'd']) sequence.set(id, 1)
    const known = await Promise.all(['a', 'b', 'c', 'd'].map((id) => sequence.get(id)))
    expect(known).toEqual([1, null, 1, 1])
  })

  it('handles 100,000 sessions without a linear search', async () => {
    const { sequence } = create()
    const ids = Array.from({ length: 100_000 }, (_, index) => `session ${index}`)
    const before = process.cpuUsage().user
    for (let handled = 1; handled <= 5; handled += 1) for (const id of ids) sequence.set(id, handled)
    // A linear search for each message would take minutes.
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(10_000)
    expect([await sequence.get('session 0'), await sequence.get('session 99999')]).toEqual([5, 5])
    sequence.set('one more', 1)
    expect([await sequence.get('session 0'), await sequence.get('session 1')]).toEqual([null, 5])
  })

  it('sets a value synchronously', () => {
    expect(create().sequence.set('ada', 1)).toBeUndefined()
  })
})

function create(options: { sessions?: number } = {}) {
  let now = 0
  return {
    sequence: createMemorySequence(() => now, options.sessions),
    wait(ms: number): void {
      now += ms
    },
  }
}
