import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countBy, toDurationStats, groupEqual, toHistogram } from './statistics.ts'

const times = fc.array(fc.double({ min: 0, max: 1e5, noNaN: true }), { minLength: 1 })

describe('toDurationStats', () => {
  it('returns measured durations in ascending order, or null without durations', () => {
    fc.assert(
      fc.property(times, (all) => {
        const { min, p50, p95, max } = toDurationStats(all) ?? { min: 1, p50: 0, p95: 0, max: 0 }
        expect([min, p50, p95, max]).toEqual([min, p50, p95, max].toSorted((a, b) => a - b))
        expect(all).toEqual(expect.arrayContaining([min, p50, p95, max]))
      }),
    )
    expect(toDurationStats([])).toBeNull()
  })
})

describe('toHistogram', () => {
  it('counts every duration once', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 30 }), (all, columns) => {
        const histogram = toHistogram(all, columns)
        expect(histogram).toHaveLength(columns)
        expect(histogram.reduce((sum, { count }) => sum + count, 0)).toBe(all.length)
        expect(histogram[0]?.count).toBeGreaterThan(0)
      }),
    )
    expect(toHistogram([1, 2, 3, 10], 3).map(({ count }) => count)).toEqual([3, 0, 1])
    expect(toHistogram([], 3)).toEqual([])
  })
})

describe('countBy', () => {
  it('sorts values by frequency', () => {
    expect(countBy([200, 500, 200])).toEqual([
      [200, 2],
      [500, 1],
    ])
  })
})

describe('groupEqual', () => {
  it('groups by structure, regardless of the order of fields', () => {
    expect(groupEqual([{ a: 1, b: 2 }, 'x', { b: 2, a: 1 }, undefined, null, undefined])).toEqual([
      [0, 2],
      [1],
      [3, 5],
      [4],
    ])
  })
})
