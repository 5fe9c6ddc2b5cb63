import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunList } from '../../api.ts'
import { EMPTY_FEED, pausedAt, isOlder, withHead, withOlder, withRun, type Feed } from './run-feed.ts'
import { createList, createSummary, idOf } from './run.test.fixture.ts'

const numbersOf = ({ runs }: Pick<Feed, 'runs'>): number[] => runs.map(({ id }) => Number(id))
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, step) => from + step)

/** Returns the response of the server: the newest `limit` runs that are older than `before`. */
function pageOf(store: readonly number[], limit: number, before = Infinity): RunList {
  const found = store.filter((number) => number < before).toSorted((a, b) => b - a)
  return createList(found.slice(0, limit), { hasMore: found.length > limit })
}

describe('isOlder', () => {
  it('orders ids of equal length by their text, and longer ones after shorter ones', () => {
    expect(isOlder('000009', '000010')).toBe(true)
    expect(isOlder('000010', '000009')).toBe(false)
    expect(isOlder('99', '100')).toBe(true)
    expect(isOlder('7', '7')).toBe(false)
  })
})

describe('a feed', () => {
  it('keeps loaded runs below the head when new runs arrive', () => {
    const feed = withOlder(withHead(EMPTY_FEED, '', pageOf(range(1, 10), 4)), pageOf(range(1, 10), 4, 7))
    expect(numbersOf(feed)).toEqual([10, 9, 8, 7, 6, 5, 4, 3])
    const next = withHead(feed, '', pageOf(range(1, 12), 4))
    expect(numbersOf(next)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
    expect(next.hasMore).toBe(true)
  })

  it('drops runs that are no longer in the head, and all older ones if the head is complete', () => {
    const feed = withHead(EMPTY_FEED, '', pageOf(range(1, 10), 20))
    expect(numbersOf(withHead(feed, '', pageOf([2, 10, 11], 20)))).toEqual([11, 10, 2])
    expect(numbersOf(withHead(feed, '', pageOf([], 20)))).toEqual([])
  })

  it('starts over if new runs leave a gap', () => {
    const feed = withHead(EMPTY_FEED, '', pageOf(range(1, 4), 4))
    expect(numbersOf(withHead(feed, '', pageOf(range(1, 40), 4)))).toEqual([40, 39, 38, 37])
  })

  it('starts over with another filter', () => {
    const feed = withHead(EMPTY_FEED, 'a', pageOf(range(1, 10), 4))
    expect(numbersOf(withHead(feed, 'b', pageOf([8, 10], 1)))).toEqual([10])
  })

  it('updates a run in place', () => {
    const feed = withHead(EMPTY_FEED, '', pageOf(range(1, 3), 4))
    const next = withRun(feed, createSummary({ id: idOf(2), isPinned: true }))
    expect(next.runs.map(({ isPinned }) => isPinned)).toEqual([false, true, false])
  })

  it('is always in order, without duplicates and gaps', () => {
    const steps = fc.array(fc.oneof(fc.record({ add: fc.integer({ min: 1, max: 9 }) }), fc.constant('older')))
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (all, limit) => {
        let last = 3
        let feed = withHead(EMPTY_FEED, '', pageOf(range(1, last), limit))
        for (const step of all) {
          if (typeof step === 'object') {
            last += step.add
            feed = withHead(feed, '', pageOf(range(1, last), limit))
          } else feed = withOlder(feed, pageOf(range(1, last), limit, last - feed.runs.length + 1))
          expect(numbersOf(feed)).toEqual(range(last - feed.runs.length + 1, last).toReversed())
          expect(feed.hasMore).toBe(feed.runs.length < last)
        }
      }),
    )
  })
})

describe('pausedAt', () => {
  const feed = withHead(EMPTY_FEED, '', pageOf(range(1, 6), 9))

  it('holds back newer runs, and counts them', () => {
    expect(numbersOf({ runs: pausedAt(feed, idOf(4)).shown })).toEqual([4, 3, 2, 1])
    expect(pausedAt(feed, idOf(4)).held).toBe(2)
    expect(pausedAt(feed, null).held).toBe(0)
  })

  it('returns all runs if none of the shown runs remains', () => {
    const next = withHead(EMPTY_FEED, '', pageOf([8, 9], 9))
    expect(pausedAt(next, idOf(4))).toEqual({ shown: next.runs, held: 0 })
  })
})
