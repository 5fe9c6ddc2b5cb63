import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePoint } from './code-point.ts'

describe('codePoint', () => {
  it('is one code point, and no half of a surrogate pair', () => {
    fc.assert(
      fc.property(codePoint, (text) => {
        expect(Array.from(text)).toEqual([text])
        expect(text).not.toMatch(/\p{Surrogate}/u)
      }),
    )
  })

  it('is any valid code point', () => {
    for (const text of ['\0', 'a', '\ud7ff', '\ue000', '\uffff', '\u{10ffff}'])
      expect(codePoint.canShrinkWithoutContext(text), text).toBe(true)
    expect(codePoint.canShrinkWithoutContext('ab')).toBe(false)
    expect(codePoint.canShrinkWithoutContext('')).toBe(false)
  })

  it('lets fc.string return names that are properties of every object', () => {
    const texts = fc.sample(fc.string({ unit: codePoint, maxLength: 20 }), { numRuns: 5000, seed: 1 })
    expect(texts).toContain('toString')
  })
})
