import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOwners } from './memory-owners.ts'

describe('createOwners', () => {
  it('evicts the oldest entries of an owner that exceeds its limit, and none of others', () => {
    const { add } = createOwners({ each: 100, all: 1_000 })
    expect(add('ada', { key: 'a1', size: 60 })).toEqual([])
    expect(add('bob', { key: 'b1', size: 60 })).toEqual([])
    expect(add('ada', { key: 'a2', size: 30 })).toEqual([])
    expect(add('ada', { key: 'a3', size: 30 })).toEqual(['a1'])
    expect(add('ada', { key: 'a2', size: 70 })).toEqual([])
    expect(add('ada', { key: 'a4', size: 10 })).toEqual(['a3'])
  })

  it('evicts entries of the largest owner if the total limit is exceeded', () => {
    const { add } = createOwners({ each: 100, all: 150 })
    add('ada', { key: 'a1', size: 10 })
    for (let index = 0; index < 10; index += 1) add('eve', { key: `e${index}`, size: 10 })
    const keys = Array.from({ length: 8 }, (_, index) => add(`guest ${index}`, { key: `g${index}`, size: 10 })).flat()
    expect(keys).toEqual(['e0', 'e1', 'e2', 'e3'])
  })

  it('takes no longer with many owners', () => {
    const timeOf = (count: number): number => {
      const { add } = createOwners({ each: 1_000, all: count * 10 })
      const come = (from: number, to: number): void => {
        for (let index = from; index < to; index += 1) add(`guest ${index}`, { key: `g${index}`, size: 10 })
      }
      come(0, count)
      const started = performance.now()
      come(count, count + 30_000)
      return performance.now() - started
    }
    const [few, many] = [1_000, 50_000].map((count) => Math.min(timeOf(count), timeOf(count)))
    expect(many).toBeLessThan(10 * (few ?? 0))
  })

  it('stays within its limits for any order of additions and deletions', () => {
    const step = fc.record({
      owner: fc.constantFrom('ada', 'bob', 'eve'),
      key: fc.integer({ min: 0, max: 20 }).map(String),
      size: fc.integer({ min: 1, max: 120 }),
      isOver: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const owners = createOwners({ each: 100, all: 200 })
        const entries = new Map<string, { owner: string; size: number }>()
        for (const { owner, key, size, isOver } of steps) {
          if (isOver) owners.delete(key)
          else entries.set(key, { owner, size })
          const evicted = isOver ? [key] : owners.add(owner, { key, size })
          for (const one of evicted) expect(entries.delete(one) || isOver).toBe(true)
          const sizes = new Map<string, number>()
          for (const one of entries.values()) sizes.set(one.owner, (sizes.get(one.owner) ?? 0) + one.size)
          expect(Math.max(0, ...sizes.values())).toBeLessThanOrEqual(100)
          expect([...sizes.values()].reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(200)
        }
      }),
    )
  })
})
