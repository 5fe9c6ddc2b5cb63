import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { align, createBudget } from './align.ts'

const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })

/** Returns the length of the longest common subsequence, by dynamic programming. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0
  const [[x, ...restA], [y, ...restB]] = [a, b]
  if (x === y) return 1 + longestCommon(restA, restB)
  return Math.max(longestCommon(restA, b), longestCommon(a, restB))
}

describe('align', () => {
  it('returns every index of both lists once, in order', () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        const pairs = align(a, b)
        expect(pairs.flatMap(([i]) => i ?? [])).toEqual([...a.keys()])
        expect(pairs.flatMap(([, j]) => j ?? [])).toEqual([...b.keys()])
      }),
    )
  })

  it('pairs as many equal items as possible, and only equal ones', () => {
    const short = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 })
    fc.assert(
      fc.property(short, short, (a, b) => {
        const pairs = align(a, b).filter(([i, j]) => i !== null && j !== null)
        expect(pairs.every(([i, j]) => a[i ?? -1] === b[j ?? -2])).toBe(true)
        expect(pairs).toHaveLength(longestCommon(a, b))
      }),
    )
  })

  it('finds a few changes in a long list', () => {
    const a = Array.from({ length: 50_000 }, (_, index) => `item ${index}`)
    const b = a.toSpliced(10, 1).toSpliced(40_000, 0, 'new')
    const alone = align(a, b).filter(([i, j]) => i === null || j === null)
    expect(alone).toEqual([
      [10, null],
      [null, 40_000],
    ])
  })

  it('pairs by index if there are too many differences', () => {
    const a = Array.from({ length: 5000 }, (_, index) => `item ${index}`)
    const b = ['new', ...a.toReversed()]
    const pairs = align(a, b)
    expect(pairs).toHaveLength(5001)
    expect(pairs[17]).toEqual([17, 17])
    expect(pairs.at(-1)).toEqual([null, 5000])
  })

  it('stops when the budget is used up', () => {
    const budget = { ...createBudget(), steps: 3 }
    expect(align(['d', 'c', 'b', 'a'], ['a', 'b', 'c', 'd'], budget)).toHaveLength(4)
    expect(budget.steps).toBeLessThan(0)
  })
})
