import { describe, expect, it } from 'vitest'
import { createMemoryKv } from './memory-kv.ts'

// The contract of every engine is tested in tests/contract; these tests need a fake clock.

describe('createMemoryKv', () => {
  it('expires a value to the millisecond', async () => {
    const { kv, wait } = create()
    await kv.set('cup', 'tea', { ttl: 60 })
    wait(59_999)
    expect(await kv.get('cup')).toBe('tea')
    wait(1)
    expect(await kv.get('cup')).toBeNull()
    expect(await kv.compareAndSet('cup', { from: null, to: 'coffee' })).toBe(true)
    wait(1e12)
    expect(await kv.get('cup')).toBe('coffee')
  })

  it('frees the memory of expired values that are not read again', async () => {
    const { kv, wait } = create({ maxSize: 20_000_000 })
    const large = 'x'.repeat(1_000_000)
    await kv.set('kept', 'tea')
    // 50 times the limit in total, but less than the limit at any time.
    for (let index = 0; index < 1_000; index += 1) {
      await kv.set(`page ${index}`, large, { ttl: 10 })
      wait(1_000)
    }
    expect(await kv.get('kept')).toBe('tea')
    expect(await kv.get('page 999')).toBe(large)
  })

  it('rejects values beyond its limit and keeps the others', async () => {
    const { kv, wait } = create({ maxSize: 1_000 })
    await kv.set('cup', 'tea')
    await kv.set('pot', 'x'.repeat(500), { ttl: 10 })
    const full = { code: 'SERVICE_UNAVAILABLE', message: 'the in-memory store is full' }
    await expect(kv.set('cup', 'x'.repeat(500))).rejects.toMatchObject(full)
    await expect(kv.increment('sum', 1).then(() => kv.set('jug', 'x'.repeat(500)))).rejects.toMatchObject(full)
    expect([await kv.get('cup'), await kv.get('sum'), await kv.get('jug')]).toEqual(['tea', '1', null])
    await kv.set('pot', 'y'.repeat(500), { ttl: 10 }) // replaces the previous value
    wait(10_000)
    await kv.set('cup', 'x'.repeat(500))
    expect(await kv.get('cup')).toHaveLength(500)
  })
})

function create(options: { maxSize?: number } = {}) {
  let now = 0
  return {
    kv: createMemoryKv({ now: () => now, ...options }),
    wait(ms: number): void {
      now += ms
    },
  }
}
