import { describe, expect, it } from 'vitest'
import { checkedKv, fitsValue } from './engine-kv.ts'
import { createMemoryKv } from './memory-kv.ts'

describe('checkedKv', () => {
  it('limits keys to 512 characters and values to 1 MiB', async () => {
    const kv = create()
    const [key, value] = ['k'.repeat(512), 'ü'.repeat(524_288)]
    await kv.set(key, value)
    expect(await kv.get(key)).toBe(value)
    await expect(kv.set(`${key}k`, 'tea')).rejects.toThrow('a key must have at most 512 characters, got 513')
    await expect(kv.increment(`${key}k`, 1)).rejects.toThrow(TypeError)
    await expect(kv.set('cup', `${value}x`)).rejects.toThrow('the value of "cup" must be at most 1 MiB')
    await expect(kv.compareAndSet('cup', { from: null, to: `${value}x` })).rejects.toThrow(TypeError)
    expect(await kv.get('cup')).toBeNull()
  })

  it('rejects a ttl that is not positive and finite', async () => {
    const kv = create()
    for (const ttl of [0, -1, NaN, Infinity]) {
      await expect(kv.set('cup', 'tea', { ttl })).rejects.toThrow(`ttl must be from 0.001 to 1e10 seconds, got ${ttl}`)
      await expect(kv.increment('cup', 1, { ttl })).rejects.toThrow(TypeError)
      await expect(kv.compareAndSet('cup', { from: null, to: 'tea', ttl })).rejects.toThrow(TypeError)
    }
    expect(await kv.get('cup')).toBeNull()
  })

  it('increments only by safe integers', async () => {
    const kv = create()
    for (const by of [0.5, NaN, Infinity, 2 ** 53]) await expect(kv.increment('sum', by)).rejects.toThrow(TypeError)
    expect(await kv.increment('sum', -2)).toBe(-2)
    expect(await kv.delete('sum')).toBe(true)
  })
})

describe('fitsValue', () => {
  it('counts bytes, not characters', () => {
    expect(fitsValue('x'.repeat(1_048_576))).toBe(true)
    expect(fitsValue('x'.repeat(1_048_577))).toBe(false)
    expect(fitsValue('€'.repeat(349_525))).toBe(true)
    expect(fitsValue('€'.repeat(349_526))).toBe(false)
  })
})

function create() {
  return checkedKv(createMemoryKv({ now: () => 0 }))
}
