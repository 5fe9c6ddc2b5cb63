import { describe, expect, it } from 'vitest'
import { quantile, toChunks, toCount, toDuration, toSize } from './format.ts'

describe('toDuration, toSize and toCount', () => {
  it('round for display', () => {
    expect([4.24, 41.7, 1530].map(toDuration)).toEqual(['4.2 ms', '42 ms', '1.53 s'])
    expect([64, 1530].map(toSize)).toEqual(['64 B', '1.5 kB'])
    expect(toCount(10_000)).toBe('10,000')
    expect([0, 1, 1200].map(toChunks)).toEqual(['0 chunks', '1 chunk', '1,200 chunks'])
  })

  it('use the next unit if rounding reaches it', () => {
    expect([9.96, 999.7, 59_999, 119_900].map(toDuration)).toEqual(['10 ms', '1.00 s', '1 min 0 s', '2 min 0 s'])
    expect(toSize(999_960)).toBe('1.0 MB')
  })
})

describe('quantile', () => {
  it('returns one of the values, or 0 for an empty list', () => {
    expect([quantile([], 0.5), quantile([7], 0.95)]).toEqual([0, 7])
    expect(quantile([15, 4], 0.5)).toBe(4)
    expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3)
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1)
    expect([quantile(hundred, 0.5), quantile(hundred, 0.95)]).toEqual([50, 95])
  })
})
