import { describe, expect, it } from 'vitest'
import { type Handled, judgeDelivery, judgeReception } from './judge.ts'

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
  it('reports nothing if all messages arrive in order', () => {
    expect(judgeDelivery(3, [handled(1), handled(2), handled(3)])).toEqual({ ...CLEAN, sent: 3 })
  })

  it('counts duplicates', () => {
    const seen = [handled(1), handled(2), again(1), again(2), handled(3)]
    expect(judgeDelivery(3, seen)).toEqual({ ...CLEAN, sent: 3, duplicates: [1, 2], duplicatesOfALife: 2 })
  })

  it('counts the duplicates of each process', () => {
    const seen = [handled(1), again(1), again(1, { life: 'b' }), again(1, { life: 'b' })]
    expect(judgeDelivery(1, seen)).toMatchObject({ duplicates: [1, 1, 1], duplicatesOfALife: 2 })
  })

  it.each([
    ['lost in the middle', [handled(1), handled(3)], { lost: [2] }],
    ['lost at the end', [handled(1), handled(2)], { lost: [3] }],
    ['lost completely', [], { lost: [1, 2, 3] }],
    ['reordered', [handled(1), handled(3), handled(2)], { reordered: [2] }],
    [
      'duplicated without a mark',
      [handled(1), handled(2), handled(2), handled(3)],
      { duplicates: [2], duplicatesOfALife: 1, unmarked: [2] },
    ],
    [
      'duplicated with another id',
      [handled(1), handled(2), again(2, { messageId: 'x' }), handled(3)],
      { duplicates: [2], duplicatesOfALife: 1, renamed: [2] },
    ],
  ])('reports a message that was %s', (_, seen, fault) => {
    expect(judgeDelivery(3, seen)).toEqual({ ...CLEAN, sent: 3, ...fault })
  })
})

describe('judgeReception', () => {
  const all = { first: 1, last: 4 }
  const QUIET = { missed: [], unreported: [], reordered: [], duplicates: [], gaps: 0, behind: 0 }

  it('reports nothing if all messages arrive in order', () => {
    expect(judgeReception(all, [1, 2, 3, 4])).toEqual({ ...QUIET, received: 4 })
  })

  it.each([
    ['in the middle', [1, 'gap', 4], [2, 3]],
    ['at the start', ['gap', 2, 3, 4], [1]],
  ] as const)('accepts missing messages %s with a gap', (_, seen, missed) => {
    expect(judgeReception(all, seen)).toEqual({ ...QUIET, received: 4 - missed.length, missed, gaps: 1 })
  })

  it.each([
    ['without a gap', [1, 4], [2, 3], 0],
    ['at the start without a gap', [2, 3, 4], [1], 0],
    ['at the end without a gap', [1, 2], [3, 4], 0],
    ['with a gap too early', [1, 'gap', 2, 4], [3], 1],
    ['with a gap too late', [1, 3, 'gap', 4], [2], 1],
    ['with a gap elsewhere', [1, 'gap', 3], [4], 1],
  ] as const)('reports missing messages %s', (_, seen, unreported, gaps) => {
    expect(judgeReception(all, seen)).toMatchObject({ unreported, gaps })
  })

  it('reports messages that are missing at the end', () => {
    expect(judgeReception(all, [1, 2, 'gap'])).toMatchObject({ missed: [3, 4], unreported: [], behind: 2 })
  })

  it('reports reordered and duplicate messages', () => {
    expect(judgeReception(all, [1, 3, 2, 4])).toEqual({ ...QUIET, received: 4, reordered: [2] })
    expect(judgeReception(all, [1, 2, 2, 3, 4])).toEqual({ ...QUIET, received: 4, duplicates: [2] })
  })
})
