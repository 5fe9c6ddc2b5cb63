import type { ErrorDetail } from '@sdk/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toStoredValue } from './field-value.ts'
import type { FieldType } from '../define/store.ts'

function keep(value: unknown, type: FieldType = 'json', faults: ErrorDetail[] = []): unknown {
  return toStoredValue(value, { name: 'meta', type, isNullable: true }, faults)
}

describe('toStoredValue', () => {
  it('returns JSON values unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(keep(value)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 1_000 },
    )
  })

  it('converts bigints, dates and undefined to JSON values', () => {
    const day = new Date(0)
    expect(keep({ n: 2n ** 64n, at: [day], gone: undefined, list: [undefined] })).toEqual({
      n: '18446744073709551616',
      at: ['1970-01-01T00:00:00.000Z'],
      list: [null],
    })
    expect(keep(7n)).toBe('7')
    expect(keep([-0])).toEqual([0])
    expect(keep(undefined)).toBeNull()
  })

  it.each([
    [new Map([['a', 1]]), 'type Map for meta'],
    [{ inner: [new Set([1])] }, 'type Set for meta'],
    [Number.NaN, 'type Number for meta'],
    [() => 1, 'type Function for meta'],
  ])('throws for values that JSON cannot represent: %s', (value, message) => {
    expect(() => keep(value)).toThrow(message)
  })

  it('reports an invalid time', () => {
    const faults: ErrorDetail[] = []
    expect(keep('2026-01-31T10:00:00+01:00', 'timestamp', faults)).toBe('2026-01-31T09:00:00.000Z')
    keep('2026-02-30T10:00:00Z', 'timestamp', faults)
    expect(faults).toMatchObject([{ code: 'INVALID_FORMAT', pointer: '/meta' }])
  })
})
