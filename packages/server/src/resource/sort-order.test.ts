import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareSortValues, matchesQuery, matchesWhere } from './sort-order.ts'
import type { Condition } from '../define/store.ts'

const up = [{ field: 'a', isDescending: false }]

describe('compareSortValues', () => {
  it('orders strings by code point, like the bytes of UTF-8', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\uE000', '\uFFFD', '😀', '𝔸', ' ') })
    fc.assert(
      fc.property(text, text, (one, other) => {
        const bytes = Buffer.compare(Buffer.from(one), Buffer.from(other))
        expect(Math.sign(compareSortValues([one], [other], up))).toBe(bytes)
      }),
    )
  })

  it('sorts null as the largest value and reverses the order when descending', () => {
    expect(compareSortValues([null], [5], up)).toBeGreaterThan(0)
    expect(compareSortValues([null], [null], up)).toBe(0)
    expect(compareSortValues([null], [5], [{ field: 'a', isDescending: true }])).toBeLessThan(0)
    expect(compareSortValues([false, 2], [false, 1], [...up, ...up])).toBeGreaterThan(0)
  })
})

describe('row matching', () => {
  const row = { n: 3, s: 'b', x: null }
  const is = (condition: Condition) => matchesQuery(row, { conditions: [condition], where: {} })

  it('compares values and matches null only with ne and null', () => {
    expect(is({ field: 'n', operator: 'gte', value: 3 })).toBe(true)
    expect(is({ field: 'n', operator: 'gt', value: 3 })).toBe(false)
    expect(is({ field: 's', operator: 'lt', value: 'c' })).toBe(true)
    expect(is({ field: 'n', operator: 'in', value: [1, 3] })).toBe(true)
    expect(is({ field: 'x', operator: 'ne', value: 3 })).toBe(true)
    expect(is({ field: 'x', operator: 'gt', value: 3 })).toBe(false)
    expect(is({ field: 'x', operator: 'eq', value: 3 })).toBe(false)
    expect(is({ field: 'x', operator: 'null', value: true })).toBe(true)
    expect(is({ field: 'n', operator: 'null', value: true })).toBe(false)
    expect(is({ field: 'n', operator: 'null', value: false })).toBe(true)
  })

  it('requires every value of a where rule', () => {
    expect(matchesWhere(row, { n: 3, s: ['a', 'b'], x: null })).toBe(true)
    expect(matchesWhere(row, { n: 3, s: [] })).toBe(false)
    expect(matchesWhere(row, { other: 'a' })).toBe(false)
  })
})
