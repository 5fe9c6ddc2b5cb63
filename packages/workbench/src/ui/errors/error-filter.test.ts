import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filterErrorGroups, toBuckets } from './error-filter.ts'
import { createGroup } from './error-group.test.fixture.ts'

describe('filterErrorGroups', () => {
  const groups = [createGroup({ key: 'a', route: 'POST /agent/pay' }), createGroup({ key: 'b' })]

  it('searches the route, the message and the files of the stack', () => {
    expect(filterErrorGroups(groups, 'PAY').map(({ key }) => key)).toEqual(['a'])
    expect(filterErrorGroups(groups, 'boom')).toHaveLength(2)
    expect(filterErrorGroups(groups, 'agent.ts')).toHaveLength(2)
    expect(filterErrorGroups(groups, 'nothing like it')).toEqual([])
    expect(filterErrorGroups(groups, ' ')).toBe(groups)
  })
})

describe('toBuckets', () => {
  it('counts every time once, and the latest in the last bucket', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 2 }), fc.integer({ min: 2, max: 30 }), (times, count) => {
        const buckets = toBuckets(times, count)
        expect(buckets).toHaveLength(count)
        expect(buckets.reduce((sum, one) => sum + one, 0)).toBe(times.length)
        expect(buckets.at(-1)).toBeGreaterThan(0)
      }),
    )
    expect(toBuckets([0, 1, 9, 10], 2)).toEqual([2, 2])
  })
})
