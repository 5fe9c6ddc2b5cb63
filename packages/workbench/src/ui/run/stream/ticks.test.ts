import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chunk } from './recording.ts'
import { countAt, endOf, nearestTo, toTickPath, toTicks } from './ticks.ts'

function chunksAt(...times: number[]): Chunk[] {
  return times.map((at) => ({ at, bytes: 10, isCut: false, data: new Uint8Array(10) }))
}

const times = fc
  .array(fc.double({ min: 0, max: 1000, noNaN: true }), { maxLength: 300 })
  .map((some) => some.toSorted((a, b) => a - b))

describe('toTicks', () => {
  it('joins chunks on the same pixel', () => {
    expect(toTicks(chunksAt(0, 1, 50, 100), 100, 11)).toEqual([
      { x: 0, bytes: 20, count: 2 },
      { x: 5, bytes: 10, count: 1 },
      { x: 10, bytes: 10, count: 1 },
    ])
  })

  it('returns at most one tick per pixel, counts every chunk, and stays on the axis', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 400 }), (some, width) => {
        const ticks = toTicks(chunksAt(...some), 1000, width)
        expect(ticks.length).toBeLessThanOrEqual(width)
        expect(ticks.reduce((sum, { count }) => sum + count, 0)).toBe(some.length)
        expect(ticks.every(({ x }) => x >= 0 && x < width)).toBe(true)
      }),
    )
  })
})

describe('toTickPath', () => {
  it('draws the largest tick at full height, and the smallest at a visible height', () => {
    const ticks = [
      { x: 0, bytes: 1000, count: 1 },
      { x: 5, bytes: 0, count: 1 },
    ]
    expect(toTickPath(ticks, 50)).toBe('M0.5 50V0M5.5 50V40')
  })
})

describe('endOf', () => {
  it('returns the end of the call, or at least the last chunk while it is running', () => {
    const empty = { status: 200, headers: [], headAt: 4 }
    expect(endOf({ ...empty, chunks: chunksAt(5), total: 30 })).toBe(30)
    expect(endOf({ ...empty, chunks: chunksAt(5, 70), total: null }, 60)).toBe(70)
    expect(endOf({ ...empty, headAt: null, chunks: [], total: null })).toBe(1)
  })
})

describe('countAt and nearestTo', () => {
  it('return the number of chunks until a time and the nearest chunk', () => {
    const chunks = chunksAt(10, 20, 40)
    expect([5, 10, 39, 40].map((time) => countAt(chunks, time))).toEqual([0, 1, 2, 3])
    expect([0, 16, 29, 31, 99].map((time) => nearestTo(chunks, time))).toEqual([0, 1, 1, 2, 2])
    expect(nearestTo([], 5)).toBe(-1)
  })

  it('agree with a linear search', () => {
    fc.assert(
      fc.property(times, fc.double({ min: 0, max: 1000, noNaN: true }), (some, time) => {
        expect(countAt(chunksAt(...some), time)).toBe(some.filter((at) => at <= time).length)
      }),
    )
  })
})
