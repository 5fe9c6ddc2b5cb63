import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatRunPosition, parseRunPosition } from './run.ts'

describe('parseRunPosition', () => {
  it('parses every position that formatRunPosition returns', () => {
    const position = fc.record({ epoch: fc.nat(999_999_999), index: fc.nat() })
    fc.assert(
      fc.property(position, (each) => {
        expect(parseRunPosition(formatRunPosition(each))).toEqual(each)
      }),
    )
  })

  it.each(['', '1', '1.', '.1', '1.2.3', '-1.2', '1.-2', '1e3.1', ' 1.2', '1.2\n', '0x1.2', `1.${'9'.repeat(16)}`])(
    'returns null for %j',
    (text) => expect(parseRunPosition(text)).toBeNull(),
  )

  it('returns null if there is no text', () => {
    expect(parseRunPosition(null)).toBeNull()
    expect(parseRunPosition(undefined)).toBeNull()
  })
})

describe('formatRunPosition', () => {
  it('returns epoch and index', () => expect(formatRunPosition({ epoch: 2, index: 50 })).toBe('2.50'))
})
