import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffDelay, reconnectDelay } from './backoff.ts'

describe('backoffDelay', () => {
  it('doubles its spread with every attempt, up to a limit', () => {
    const widest = [0, 1, 2, 5, 6, 50].map((attempt) => backoffDelay(attempt, { random: () => 1 }))
    expect(widest).toEqual([550, 1050, 2050, 16_050, 20_050, 20_050])
  })

  it('stays within its bounds', () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
        const delay = backoffDelay(attempt, { random: () => chance })
        expect(delay).toBeGreaterThanOrEqual(50)
        expect(delay).toBeLessThanOrEqual(20_050)
      }),
    )
  })
})

/** Returns a random function with the same values in every run. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('reconnectDelay', () => {
  it('doubles its minimum and its spread, each up to a limit', () => {
    const bounds = [0, 1, 2, 6, 7, 50].map((failures) =>
      [0, 1].map((chance) => reconnectDelay(failures, 0, { random: () => chance })),
    )
    expect(bounds).toEqual([
      [50, 550],
      [100, 1100],
      [200, 2200],
      [3200, 23_200],
      [6400, 26_400],
      [6400, 26_400],
    ])
  })

  it('uses the spread of the server for the first delay only', () => {
    const widest = [0, 1, 2].map((failures) => reconnectDelay(failures, 3000, { random: () => 1 }))
    expect(widest).toEqual([3050, 1100, 2200])
    expect(reconnectDelay(0, 100, { random: () => 1 })).toBe(550)
  })

  it.each([0, 2000])(
    'allows at most ten attempts in 30 s if the server drops every connection (spread %i)',
    (spread) => {
      const random = createRandom(1)
      const counts = Array.from({ length: 100_000 }, () => {
        let attempts = 0
        for (let time = 0; time < 30_000; attempts++) time += reconnectDelay(attempts, spread, { random })
        return attempts
      })
      expect(Math.max(...new Set(counts))).toBeLessThanOrEqual(10)
      expect(counts.reduce((sum, count) => sum + count) / counts.length).toBeGreaterThan(6)
    },
  )

  it('spreads 200 clients so that at most a quarter of them reconnect in any 100 ms', () => {
    const random = createRandom(2)
    for (let round = 0; round < 100; round++) {
      const times = Array.from({ length: 200 }, () => reconnectDelay(0, 2000, { random })).toSorted((a, b) => a - b)
      const crowds = times.map((time, first) => times.filter((other, i) => i >= first && other < time + 100).length)
      expect(Math.max(...crowds)).toBeLessThanOrEqual(50)
    }
  })
})
