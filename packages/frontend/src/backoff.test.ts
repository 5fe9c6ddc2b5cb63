import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffDelay } from './backoff.ts'

describe('backoffDelay', () => {
  it('spreads over twice the time at every attempt, up to a limit', () => {
    const widest = [0, 1, 2, 5, 6, 50].map((attempt) => backoffDelay(attempt, { random: () => 1 }))
    expect(widest).toEqual([550, 1050, 2050, 16_050, 20_050, 20_050])
  })

  it('never leaves its bounds', () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
        const delay = backoffDelay(attempt, { random: () => chance })
        expect(delay).toBeGreaterThanOrEqual(50)
        expect(delay).toBeLessThanOrEqual(20_050)
      }),
    )
  })
})
