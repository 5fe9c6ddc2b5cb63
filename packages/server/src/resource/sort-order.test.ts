import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparePlaces, fits, fitsWhere } from './sort-order.ts'
import type { Condition } from '../define/store.ts'

const up = [{ field: 'a', isDescending: false }]

describe('comparePlaces', () => {
  it('orders texts by code point, as the bytes of UTF-8 do', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\uE000', '\uFFFD', '😀', '𝔸', ' ') })
    fc.assert(
      fc.property(text, text, (one, other) => {
        const bytes = Buffer.compare(Buffer.from(one), Buffer.from(other))
        expect(Math.sign(comparePlaces([one], [other], up))).toBe(bytes)
      }),
    )
  })

  it('takes no value for the largest, and turns it all round when descending', () => {
    expect(comparePlaces([null], [5], up)).toBeGreaterThan(0)
    expect(comparePlaces([null], [null], up)).toBe(0)
    expect(comparePlaces([null], [5], [{ field: 'a', isDescending: true }])).toBeLessThan(0)
    expect(comparePlaces([false, 2], [false, 1], [...up, ...up])).toBeGreaterThan(0)
  })
})

describe('fits', () => {
  const row = { n: 3, s: 'b', x: null }
  const is = (condition: Condition) => fits(row, { conditions: [condition], where: {} })

  it('compares, and lets no value pass only where another is not wanted', () => {
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

  it('wants every value of a rule', () => {
    expect(fitsWhere(row, { n: 3, s: ['a', 'b'], x: null })).toBe(true)
    expect(fitsWhere(row, { n: 3, s: [] })).toBe(false)
    expect(fitsWhere(row, { other: 'a' })).toBe(false)
  })
})
