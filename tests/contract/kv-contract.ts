import type { Engine } from '@sdk/server'
import fc from 'fast-check'
import { expect, it } from 'vitest'

/** The contract of the key-value store, for two engines that share it. */
export function kvContract(openPair: () => readonly [Engine, Engine]): void {
  const open = (): readonly [Engine['kv'], Engine['kv']] => {
    const [one, two] = openPair()
    return [one.kv, two.kv]
  }

  it('returns a value until it is deleted', async () => {
    const [one, two] = open()
    const key = newKey()
    expect(await two.get(key)).toBeNull()
    await one.set(key, 'tea')
    expect(await two.get(key)).toBe('tea')
    await two.set(key, 'coffee')
    expect(await one.get(key)).toBe('coffee')
    expect(await one.delete(key)).toBe(true)
    expect(await two.delete(key)).toBe(false)
    expect(await two.get(key)).toBeNull()
  })

  it('stores concurrent values, each with its ttl, and the last value of a key', async () => {
    const [one, two] = open()
    const keys = Array.from({ length: 300 }, newKey)
    const often = newKey()
    await Promise.all(
      keys.flatMap((key, index) => [
        one.set(key, `tea ${index}`, index === 7 ? { ttl: 0.2 } : undefined),
        one.set(often, `cup ${index}`),
      ]),
    )
    await expectGone(two, keys[7] ?? '')
    const kept = await Promise.all(keys.map((key) => two.get(key)))
    expect(kept).toEqual(keys.map((_, index) => (index === 7 ? null : `tea ${index}`)))
    expect(await two.get(often)).toBe('cup 299')
  })

  it('deletes a value after its ttl, not before', async () => {
    const [one, two] = open()
    const [short, long] = [newKey(), newKey()]
    await Promise.all([one.set(short, 'tea', { ttl: 1 }), one.set(long, 'tea', { ttl: 60 })])
    expect(await two.get(short)).toBe('tea')
    await expectGone(two, short)
    expect(await two.get(long)).toBe('tea')
    expect(await two.delete(short)).toBe(false)
    expect(await one.compareAndSet(short, { from: null, to: 'again' })).toBe(true)
  })

  it('removes the ttl of a value that is set again without one', async () => {
    const [one] = open()
    const [kept, mark] = [newKey(), newKey()]
    await Promise.all([one.set(kept, 'tea', { ttl: 0.2 }), one.set(mark, 'tea', { ttl: 0.3 })])
    await one.set(kept, 'coffee')
    await expectGone(one, mark)
    expect(await one.get(kept)).toBe('coffee')
  })

  it('loses no concurrent increments of two engines', async () => {
    const [one, two] = open()
    const key = newKey()
    const sums = await Promise.all(
      Array.from({ length: 250 }, () => [one.increment(key, 1), two.increment(key, 3)]).flat(),
    )
    expect(await one.get(key)).toBe('1000')
    expect(new Set(sums).size).toBe(500)
    expect(await two.increment(key, -1_500)).toBe(-500)
  })

  it('applies the ttl of the first increment', async () => {
    const [one, two] = open()
    const key = newKey()
    expect(await one.increment(key, 2, { ttl: 1 })).toBe(2)
    expect(await two.increment(key, 2, { ttl: 60 })).toBe(4)
    await expectGone(one, key)
    expect(await one.increment(key, 2)).toBe(2)
  })

  it('increments only safe integers', async () => {
    const [one] = open()
    const key = newKey()
    for (const text of ['tea', '1.5', '', ' 1', '1e3', '0x10', '"1"']) {
      await one.set(key, text)
      expect([text, await one.increment(key, 1), await one.get(key)]).toEqual([text, null, text])
    }
    await one.set(key, String(Number.MAX_SAFE_INTEGER - 1))
    expect(await one.increment(key, 1)).toBe(Number.MAX_SAFE_INTEGER)
    expect(await one.increment(key, 1)).toBeNull()
    expect(await one.increment(key, -Number.MAX_SAFE_INTEGER)).toBe(0)
    expect(await one.increment(key, Number.MIN_SAFE_INTEGER)).toBe(Number.MIN_SAFE_INTEGER)
    expect(await one.get(key)).toBe('-9007199254740991')
  })

  it('compareAndSet changes a value only if it is the expected one', async () => {
    const [one, two] = open()
    const key = newKey()
    expect(await one.compareAndSet(key, { from: 'tea', to: 'coffee' })).toBe(false)
    expect(await one.compareAndSet(key, { from: null, to: '' })).toBe(true)
    expect(await two.compareAndSet(key, { from: null, to: 'coffee' })).toBe(false)
    expect(await two.compareAndSet(key, { from: '', to: 'coffee' })).toBe(true)
    expect(await one.compareAndSet(key, { from: '', to: null })).toBe(false)
    expect(await one.get(key)).toBe('coffee')
    expect(await one.compareAndSet(key, { from: 'coffee', to: null })).toBe(true)
    expect(await two.get(key)).toBeNull()
    expect(await two.compareAndSet(key, { from: null, to: null })).toBe(true)
  })

  it('compareAndSet keeps the ttl of a value unless it sets another', async () => {
    const [one] = open()
    const [same, longer, shorter] = [newKey(), newKey(), newKey()]
    await Promise.all([same, longer].map((key) => one.set(key, 'tea', { ttl: 1 })))
    await one.set(shorter, 'tea')
    expect(await one.compareAndSet(same, { from: 'tea', to: 'coffee' })).toBe(true)
    expect(await one.compareAndSet(longer, { from: 'tea', to: 'tea', ttl: 60 })).toBe(true)
    expect(await one.compareAndSet(shorter, { from: 'tea', to: 'tea', ttl: 0.1 })).toBe(true)
    expect(await one.get(same)).toBe('coffee')
    await expectGone(one, same)
    await expectGone(one, shorter)
    expect(await one.get(longer)).toBe('tea')
  })

  it('compareAndSet succeeds for one of 50 concurrent callers', async () => {
    const [one, two] = open()
    const key = newKey()
    const names = Array.from({ length: 50 }, (_, index) => `caller ${index}`)
    const wins = await Promise.all(
      names.map((to, index) => (index % 2 === 0 ? one : two).compareAndSet(key, { from: null, to, ttl: 60 })),
    )
    expect(wins.filter(Boolean)).toHaveLength(1)
    expect(await one.get(key)).toBe(names[wins.indexOf(true)])
  })

  it('stores any text under any key', async () => {
    const [one, two] = open()
    const text = fc.string({ unit: 'binary' })
    await fc.assert(
      fc.asyncProperty(text, text, async (name, value) => {
        const key = `${newKey()} ${name}`
        await one.set(key, value)
        expect(await two.get(key)).toBe(value)
        expect(await two.compareAndSet(key, { from: value, to: `${value}!` })).toBe(true)
        expect(await one.get(key)).toBe(`${value}!`)
        await one.delete(key)
      }),
    )
    const [key, large] = [newKey(), 'ü'.repeat(524_288)]
    await one.set(key, large)
    expect(await two.compareAndSet(key, { from: large, to: `${large.slice(1)}!` })).toBe(true)
    expect(await one.get(key)).toBe(`${large.slice(1)}!`)
  })

  it('separates values and streams of the same name', async () => {
    const [engine] = openPair()
    const key = newKey()
    await engine.publish(key, 'hello')
    expect(await engine.kv.get(key)).toBeNull()
    await engine.kv.set(key, 'tea')
    expect(await engine.publish(key, 'hello')).toMatchObject({ offset: 2 })
    expect(await engine.kv.get(key)).toBe('tea')
  })
}

async function expectGone(kv: Engine['kv'], key: string): Promise<void> {
  await expect.poll(() => kv.get(key), { interval: 20 }).toBeNull()
}

let keys = 0

/** Returns a unique key. */
function newKey(): string {
  keys += 1
  return `key ${keys}`
}
