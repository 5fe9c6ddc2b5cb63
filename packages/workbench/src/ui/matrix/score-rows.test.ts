import { describe, expect, it } from 'vitest'
import type { MatrixResult } from '../../api.ts'
import { toChangeText, toScoreRows, toScoreText } from './score-rows.ts'

const result = (...cells: [row: number, variant: string, input: object, output: unknown, score: number][]) => {
  const all = cells.map(([row, variant, input, output, score]) => ({ row, variant, input, output, score }))
  return { route: 'POST /agent/poem', at: '2026-01-01T00:00:00.000Z', scores: {}, cells: all } satisfies MatrixResult
}

describe('toScoreRows', () => {
  it('compares a call with the one that has the same input and variant, in any order', () => {
    const now = result([0, 'a', { n: 1, model: 'a' }, 'x', 1], [0, 'b', { n: 1, model: 'b' }, 'x', 0.25])
    const before = result([3, 'b', { model: 'b', n: 1 }, 'y', 0.5], [4, 'a', { model: 'a', n: 2 }, 'x', 0])
    const [row] = toScoreRows(now, before)
    expect(row?.input).toEqual({ n: 1 })
    expect(row?.cells.map(({ change, isOther }) => [change, isOther])).toEqual([
      [null, false],
      [-0.25, true],
    ])
  })

  it('has no differences without an earlier result', () => {
    const [row] = toScoreRows(result([0, 'a', { n: 1 }, 'x', 1]), undefined)
    expect(row).toMatchObject({ input: { n: 1 }, cells: [{ before: null, change: null, isOther: false }] })
  })
})

describe('toChangeText', () => {
  it.each([
    [null, ''],
    [0.00001, '='],
    [0.3333, '+0.333'],
    [-2, '−2'],
  ])('formats %s as %j', (change, text) => expect(toChangeText(change)).toBe(text))
})

describe('toScoreText', () => {
  it('rounds to three decimals', () => expect([1, 2 / 3, -0.5].map(toScoreText)).toEqual(['1', '0.667', '-0.5']))
})
