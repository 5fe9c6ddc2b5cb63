import { describe, expect, it } from 'vitest'
import { type Handled, judgeDelivery, judgeHearing } from './judge.ts'

const handled = (n: number, change: Partial<Handled> = {}): Handled => ({
  n,
  messageId: `id-${n}`,
  redelivered: false,
  life: 'a',
  ...change,
})
const again = (n: number, change: Partial<Handled> = {}): Handled => handled(n, { redelivered: true, ...change })
const CLEAN = { lost: [], reordered: [], duplicates: [], duplicatesOfALife: 0, unmarked: [], renamed: [] }

describe('judgeDelivery', () => {
  it('finds nothing where all came in order', () => {
    expect(judgeDelivery(3, [handled(1), handled(2), handled(3)])).toEqual({ ...CLEAN, sent: 3 })
  })

  it('counts what came again', () => {
    const seen = [handled(1), handled(2), again(1), again(2), handled(3)]
    expect(judgeDelivery(3, seen)).toEqual({ ...CLEAN, sent: 3, duplicates: [1, 2], duplicatesOfALife: 2 })
  })

  it('counts them for each process', () => {
    const seen = [handled(1), again(1), again(1, { life: 'b' }), again(1, { life: 'b' })]
    expect(judgeDelivery(1, seen)).toMatchObject({ duplicates: [1, 1, 1], duplicatesOfALife: 2 })
  })

  it.each([
    ['lost in the middle', [handled(1), handled(3)], { lost: [2] }],
    ['lost at the end', [handled(1), handled(2)], { lost: [3] }],
    ['lost altogether', [], { lost: [1, 2, 3] }],
    ['reordered', [handled(1), handled(3), handled(2)], { reordered: [2] }],
    [
      'doubled without a mark',
      [handled(1), handled(2), handled(2), handled(3)],
      { duplicates: [2], duplicatesOfALife: 1, unmarked: [2] },
    ],
    [
      'doubled under another name',
      [handled(1), handled(2), again(2, { messageId: 'x' }), handled(3)],
      { duplicates: [2], duplicatesOfALife: 1, renamed: [2] },
    ],
  ])('catches a message that was %s', (_, seen, fault) => {
    expect(judgeDelivery(3, seen)).toEqual({ ...CLEAN, sent: 3, ...fault })
  })
})

describe('judgeHearing', () => {
  const all = { first: 1, last: 4 }
  const QUIET = { missed: [], untold: [], reordered: [], duplicates: [], gaps: 0, behind: 0 }

  it('finds nothing where all came in order', () => {
    expect(judgeHearing(all, [1, 2, 3, 4])).toEqual({ ...QUIET, heard: 4 })
  })

  it.each([
    ['in the middle', [1, 'gap', 4], [2, 3]],
    ['at the start', ['gap', 2, 3, 4], [1]],
  ] as const)('takes a hole %s that was told', (_, seen, missed) => {
    expect(judgeHearing(all, seen)).toEqual({ ...QUIET, heard: 4 - missed.length, missed, gaps: 1 })
  })

  it.each([
    ['nowhere', [1, 4], [2, 3], 0],
    ['at the start', [2, 3, 4], [1], 0],
    ['at the end', [1, 2], [3, 4], 0],
    ['before its time', [1, 'gap', 2, 4], [3], 1],
    ['when it was over', [1, 3, 'gap', 4], [2], 1],
    ['for another hole only', [1, 'gap', 3], [4], 1],
  ] as const)('catches a hole that was told %s', (_, seen, untold, gaps) => {
    expect(judgeHearing(all, seen)).toMatchObject({ untold, gaps })
  })

  it('catches who hears nothing any more', () => {
    expect(judgeHearing(all, [1, 2, 'gap'])).toMatchObject({ missed: [3, 4], untold: [], behind: 2 })
  })

  it('catches what comes late or again', () => {
    expect(judgeHearing(all, [1, 3, 2, 4])).toEqual({ ...QUIET, heard: 4, reordered: [2] })
    expect(judgeHearing(all, [1, 2, 2, 3, 4])).toEqual({ ...QUIET, heard: 4, duplicates: [2] })
  })
})
