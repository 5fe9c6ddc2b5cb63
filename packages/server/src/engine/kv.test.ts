import { codePoint } from '@sdk/test-kit'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { createKv, type Kv } from './kv.ts'
import { memoryEngine } from './memory-engine.ts'

describe('createKv', () => {
  it('returns any stored JSON value', async () => {
    const { kv } = create()
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.string({ unit: codePoint, minLength: 1, maxLength: 100 }),
        async (value, key) => {
          await kv.set('things', key, value)
          expect(await kv.get('things', key)).toEqual(JSON.parse(JSON.stringify(value)))
        },
      ),
    )
  })

  it('returns null for deleted and expired values', async () => {
    const { kv, wait } = create()
    await kv.set('carts', 'ada', { cups: 2 }, { ttl: 60 })
    await kv.set('carts', 'grace', { cups: 3 })
    expectTypeOf(await kv.get<{ cups: number }>('carts', 'ada')).toEqualTypeOf<{ cups: number } | null>()
    wait(60)
    expect(await kv.get('carts', 'ada')).toBeNull()
    expect(await kv.get('carts', 'grace')).toEqual({ cups: 3 })
    expect([await kv.delete('carts', 'grace'), await kv.delete('carts', 'grace')]).toEqual([true, false])
    expect(await kv.get('carts', 'grace')).toBeNull()
  })

  it('separates namespaces for any keys', async () => {
    const name = fc.stringMatching(/^[A-Za-z0-9._:-]{1,8}$/)
    const key = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', '/', ':', '.', 'kv', ' ') })
    await fc.assert(
      fc.asyncProperty(name, key, name, key, async (oneName, oneKey, twoName, twoKey) => {
        fc.pre(oneName !== twoName || oneKey !== twoKey)
        const { kv } = create()
        await kv.set(oneName, oneKey, 1)
        await kv.set(twoName, twoKey, 2)
        expect([await kv.get(oneName, oneKey), await kv.get(twoName, twoKey)]).toEqual([1, 2])
      }),
    )
  })

  it('rejects invalid namespaces and keys', async () => {
    const { kv } = create()
    for (const namespace of ['', 'a b', 'a/b', 'ü', 'a\n', 'n'.repeat(129)])
      await expect(kv.get(namespace, 'key')).rejects.toThrow(`got ${JSON.stringify(namespace)}`)
    for (const key of ['', 'k'.repeat(257), '\uD800'])
      await expect(kv.set('things', key, 1)).rejects.toThrow(`got ${JSON.stringify(key)}`)
    await expect(kv.delete('things', 7 as never)).rejects.toThrow('a key must be a string of 1 to 256')
    await kv.set('n'.repeat(128), '🙂'.repeat(128), 1)
    expect(await kv.get('n'.repeat(128), '🙂'.repeat(128))).toBe(1)
  })

  it('rejects values that are not JSON', async () => {
    const { kv } = create()
    const circular: { self?: unknown } = {}
    circular.self = circular
    const refused: [unknown, string][] = [
      [undefined, 'got undefined'],
      [() => 1, 'got () => 1'],
      [Symbol('s'), 'got Symbol(s)'],
      [10n, 'got 10'],
      [NaN, 'got NaN'],
      [{ cart: { price: Infinity } }, 'got Infinity at "price"'],
      [{ cart: [10n] }, 'got 10 at "0"'],
      [circular, 'circular'],
    ]
    for (const [value, message] of refused) {
      const setting = kv.set('things', 'key', value)
      await expect(setting).rejects.toThrow(TypeError)
      await expect(setting).rejects.toThrow(message)
    }
    await expect(kv.set('things', 'key', 'x'.repeat(1_048_576))).rejects.toThrow('must be at most 1 MiB')
    expect(await kv.get('things', 'key')).toBeNull()
  })

  it('increments integers and rejects other values', async () => {
    const { kv, wait } = create()
    expect(await kv.increment('visits', 'home')).toBe(1)
    expect(await kv.increment('visits', 'home', { by: 41 })).toBe(42)
    expect(await kv.get('visits', 'home')).toBe(42)
    expect(await kv.increment('visits', 'today', { ttl: 10 })).toBe(1)
    wait(10)
    expect(await kv.increment('visits', 'today', { ttl: 10 })).toBe(1)
    await kv.set('visits', 'home', 'many')
    await expect(kv.increment('visits', 'home')).rejects.toThrow('"home" in namespace "visits" is not an integer')
    await expect(kv.increment('visits', 'away', { by: 0.5 })).rejects.toThrow('by must be a safe integer, got 0.5')
  })

  it('loses no concurrent updates', async () => {
    const { kv } = create()
    const add = (name: string) => kv.update<string[]>('rooms', 'lobby', async (names) => [...(names ?? []), name])
    const names = Array.from({ length: 50 }, (_, index) => `guest ${index}`)
    await Promise.all(names.map(add))
    expect((await kv.get<string[]>('rooms', 'lobby'))?.toSorted()).toEqual(names.toSorted())
  })

  it('deletes the value if an update returns null, and keeps the ttl of an updated value', async () => {
    const { kv, wait } = create()
    await kv.set('cups', 'ada', 1, { ttl: 10 })
    expect(await kv.update<number>('cups', 'ada', (count) => (count ?? 0) + 1)).toBe(2)
    wait(9.999)
    expect(await kv.get('cups', 'ada')).toBe(2)
    wait(0.001)
    expect(await kv.get('cups', 'ada')).toBeNull()
    await kv.set('cups', 'grace', 1)
    expect(await kv.update('cups', 'grace', () => null)).toBeNull()
    expect(await kv.delete('cups', 'grace')).toBe(false)
  })

  it('keeps the value if an update throws or returns a value that is not JSON', async () => {
    const { kv } = create()
    await kv.set('cups', 'ada', 1)
    const failing = kv.update('cups', 'ada', () => {
      throw new Error('no more tea')
    })
    await expect(failing).rejects.toThrow('no more tea')
    await expect(kv.update('cups', 'ada', () => undefined)).rejects.toThrow(
      'a value must be serializable as JSON, got undefined',
    )
    expect(await kv.get('cups', 'ada')).toBe(1)
  })

  it('rejects an update after 100 conflicts', async () => {
    const { kv } = create()
    let tries = 0
    const losing = kv.update<number>('cups', 'ada', async () => {
      tries += 1
      await kv.increment('cups', 'ada')
      return 0
    })
    await expect(losing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 })
    expect(tries).toBe(100)
  })
})

function create(): { kv: Kv; wait(seconds: number): void } {
  let now = 0
  return {
    kv: createKv(memoryEngine({ now: () => now })),
    wait(seconds) {
      now += seconds * 1000
    },
  }
}
