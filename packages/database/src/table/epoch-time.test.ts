import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEpoch } from './epoch-time.ts'

const [MIN, MAX] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'].map(Date.parse) as [number, number]

describe('parseEpoch', () => {
  it('matches toISOString for every time of the API', () => {
    const time = fc.oneof(fc.constantFrom(MIN, MAX, -1, 0, 1), fc.integer({ min: MIN, max: MAX }))
    fc.assert(
      fc.property(time, (ms) => {
        expect(parseEpoch(String(ms / 1000))).toBe(new Date(ms).toISOString())
      }),
    )
  })

  it('reads a part of a text, whatever the number of decimals', () => {
    const [time, decimals] = [
      fc.integer({ min: 0, max: Math.floor(MAX / 1000) - 1 }),
      fc.stringMatching(/^(\.\d{1,6})?$/),
    ]
    fc.assert(
      fc.property(time, decimals, fc.string(), (seconds, part, before) => {
        const text = `${seconds}${part}`
        const expected = new Date(Math.round(Number(text) * 1000)).toISOString()
        expect(parseEpoch(`${before}${text},7`, before.length, before.length + text.length)).toBe(expected)
      }),
    )
  })

  it('returns undefined for times out of range', () => {
    for (const seconds of [String((MIN - 1) / 1000), String((MAX + 1) / 1000), 'Infinity', '-Infinity', 'NaN'])
      expect(parseEpoch(seconds)).toBeUndefined()
  })
})
