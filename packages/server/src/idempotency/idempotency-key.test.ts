import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIdempotencyKey } from './idempotency-key.ts'

describe('parseIdempotencyKey', () => {
  it('accepts a key with or without quotes', () => {
    expect(parseIdempotencyKey(null)).toBeNull()
    const key = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
      maxLength: 255,
    })
    fc.assert(
      fc.property(key, (text) => {
        expect(parseIdempotencyKey(`"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`)).toBe(text)
        fc.pre(!text.startsWith('"'))
        expect(parseIdempotencyKey(text)).toBe(text)
      }),
    )
  })

  it.each(['', '""', 'ü', 'a\tb', '"open', '"', '"a"b"', String.raw`"a\b"`, String.raw`"a\"`, 'k'.repeat(256)])(
    'rejects %j',
    (header) => {
      expect(() => parseIdempotencyKey(header)).toThrow(
        expect.objectContaining({
          code: 'INVALID_REQUEST',
          details: [expect.objectContaining({ code: 'INVALID_FORMAT', source: 'header', name: 'Idempotency-Key' })],
        }),
      )
    },
  )
})
