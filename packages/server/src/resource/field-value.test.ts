import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isValueIssue, isCursorValue, parseScalar, normalizeMoment } from './field-value.ts'

const FIRST = new Date('0001-01-01T00:00:00.000Z')
const LAST = new Date('9999-12-31T23:59:59.999Z')

describe('normalizeMoment', () => {
  it('returns normalized values unchanged', () => {
    fc.assert(
      fc.property(fc.date({ min: FIRST, max: LAST, noInvalidDate: true }), (date) => {
        expect(normalizeMoment(date.toISOString(), 'timestamp')).toBe(date.toISOString())
        expect(normalizeMoment(date.toISOString().slice(0, 10), 'date')).toBe(date.toISOString().slice(0, 10))
      }),
    )
  })

  it.each([
    ['2026-01-31T10:00:00+02:00', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31t10:00:00z', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T10:00:00.9999999Z', '2026-01-31T10:00:00.999Z'],
    ['2026-01-31T10:00:00.1-23:59', '2026-02-01T09:59:00.100Z'],
  ])('converts %s to UTC', (text, moment) => {
    expect(normalizeMoment(text, 'timestamp')).toBe(moment)
  })

  it.each([
    '2026-01-31',
    '2026-01-31T10:00:00',
    '2026-02-30T10:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-12-31T23:59:60Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '12026-01-31T10:00:00Z',
    '2026-01-31T10:00:00+24:00',
    'now',
  ])('returns null for %s', (text) => {
    expect(normalizeMoment(text, 'timestamp')).toBeNull()
  })

  it.each(['2026-02-29', '2026-1-1', '0000-01-01', '2026-13-01', '2026-01-31T00:00:00Z'])(
    'returns null for the date %s',
    (text) => {
      expect(normalizeMoment(text, 'date')).toBeNull()
    },
  )
})

describe('parseScalar', () => {
  it.each([
    ['true', 'boolean', true],
    ['false', 'boolean', false],
    ['-7', 'integer', -7],
    ['1.5e3', 'number', 1500],
    ['', 'string', ''],
    ['2026-01-31', 'date', '2026-01-31'],
  ] as const)('parses %s as %s', (text, type, value) => {
    expect(parseScalar(text, type)).toBe(value)
  })

  it.each([
    ['1', 'boolean'],
    ['TRUE', 'boolean'],
    ['', 'boolean'],
    ['1.0', 'integer'],
    ['01', 'integer'],
    ['9007199254740993', 'integer'],
    ['1e999', 'number'],
    ['0x1', 'number'],
    ['', 'number'],
    ['yesterday', 'timestamp'],
  ] as const)('returns an issue for %j as %s', (text, type) => {
    expect(isValueIssue(parseScalar(text, type))).toBe(true)
  })
})

describe('isCursorValue', () => {
  it('checks the type, format and nullability of the value', () => {
    const field = { name: 'x', isNullable: false }
    expect(isCursorValue(null, { ...field, type: 'integer' })).toBe(false)
    expect(isCursorValue(null, { ...field, type: 'integer', isNullable: true })).toBe(true)
    expect(isCursorValue(1.5, { ...field, type: 'integer' })).toBe(false)
    expect(isCursorValue('1', { ...field, type: 'number' })).toBe(false)
    expect(isCursorValue('a\0', { ...field, type: 'string' })).toBe(false)
    expect(isCursorValue('2026-01-31T10:00:00+02:00', { ...field, type: 'timestamp' })).toBe(false)
    expect(isCursorValue(true, { ...field, type: 'boolean' })).toBe(true)
  })
})
