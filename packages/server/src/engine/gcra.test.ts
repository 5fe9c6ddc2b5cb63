import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gcra, type Quota } from './gcra.ts'

/** Calls gcra at each time and returns how many calls were allowed. */
function granted(policy: Quota, times: readonly number[]): number {
  let fullAt: number | undefined
  return times.filter((now) => {
    const decision = gcra(policy, { now, fullAt })
    fullAt = decision.fullAt
    return decision.allowed
  }).length
}

describe('gcra', () => {
  it('allows a full quota immediately and then returns the time until the next unit', () => {
    const policy = { quota: 3, window: 60 }
    let fullAt: number | undefined
    const decisions = [0, 0, 0, 0].map((now) => {
      const decision = gcra(policy, { now, fullAt })
      fullAt = decision.fullAt
      return [decision.allowed, decision.remaining, decision.reset]
    })
    expect(decisions).toEqual([
      [true, 2, 20],
      [true, 1, 20],
      [true, 0, 20],
      [false, 0, 20],
    ])
  })

  it('refills units one by one', () => {
    expect(granted({ quota: 3, window: 60 }, [0, 0, 0, 19_999, 20_000, 20_001, 40_000])).toBe(5)
  })

  it('does not count rejected requests', () => {
    const storm = Array.from({ length: 1000 }, () => 0)
    expect(granted({ quota: 1, window: 1 }, [...storm, 1000])).toBe(2)
  })

  it('never grants more than the quota and its refill', () => {
    const policy = fc.record({ quota: fc.integer({ min: 1, max: 50 }), window: fc.integer({ min: 1, max: 100 }) })
    const steps = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 200 })
    fc.assert(
      fc.property(policy, steps, (quota, gaps) => {
        let now = 0
        const times = gaps.map((gap) => (now += gap))
        const most = quota.quota + (now * quota.quota) / (quota.window * 1000)
        expect(granted(quota, times)).toBeLessThanOrEqual(Math.floor(most + 1e-6))
      }),
    )
  })

  it('allows all requests at a steady rate', () => {
    const policy = fc.record({ quota: fc.integer({ min: 1, max: 700 }), window: fc.integer({ min: 1, max: 100 }) })
    fc.assert(
      fc.property(policy, (quota) => {
        const interval = (quota.window * 1000) / quota.quota
        const times = Array.from({ length: 100 }, (_, index) => Math.ceil(index * interval))
        expect(granted(quota, times)).toBe(100)
      }),
    )
  })
})
