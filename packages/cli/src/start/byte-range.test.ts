import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRange } from './byte-range.ts'

describe('parseRange', () => {
  it.each([
    [undefined, null],
    ['bytes=0-', { start: 0, end: 9 }],
    ['bytes=2-4', { start: 2, end: 4 }],
    ['bytes=5-99', { start: 5, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-99', { start: 0, end: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=4-2', null],
    ['bytes=-', null],
    ['bytes=0-1,3-4', null],
    ['lines=0-1', null],
  ])('parses %j for a file of ten bytes', (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected)
  })

  it('stays within the file for any header', () => {
    const bound = fc.oneof(fc.constant(''), fc.nat().map(String))
    fc.assert(
      fc.property(bound, bound, fc.nat(1000), (first, last, size) => {
        const range = parseRange(`bytes=${first}-${last}`, size)
        if (range === null || range === 'unsatisfiable') return
        expect(range.start).toBeGreaterThanOrEqual(0)
        expect(range.end).toBeGreaterThanOrEqual(range.start)
        expect(range.end).toBeLessThan(size)
      }),
    )
  })
})
