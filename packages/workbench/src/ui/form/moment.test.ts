import { describe, expect, it } from 'vitest'
import { fromPicker, toPicker } from './moment.ts'

describe('fromPicker', () => {
  it.each([
    ['date-time', '2026-01-31T12:00:00Z', '2027-02-03T04:05:06', '2027-02-03T04:05:06Z'],
    ['date-time', '2026-01-31T12:00:00.123456-05:30', '2027-02-03T04:05', '2027-02-03T04:05:00.123456-05:30'],
    ['date-time', '2026-01-31T12:00', '2027-02-03T04:05:06', '2027-02-03T04:05:06'],
    ['date-time', 'no date', '2027-02-03T04:05:06', '2027-02-03T04:05:06Z'],
    ['time', '12:00:00.5Z', '04:05:06', '04:05:06.5Z'],
    ['time', '', '04:05', '04:05:00'],
    ['date', '2026-01-31', '2027-02-03', '2027-02-03'],
  ])('keeps the parts that a picker does not support: %s %s', (format, old, picked, text) => {
    expect(fromPicker(format, picked, old)).toBe(text)
  })
})

describe('toPicker', () => {
  it.each([
    ['date-time', '2026-01-31T12:00:00.25+02:00', '2026-01-31T12:00:00'],
    ['date-time', 'tomorrow', ''],
    ['time', '12:00', '12:00'],
    ['date', '2026-1-31', ''],
  ])('converts the parts that a picker supports: %s %s', (format, text, shown) => {
    expect(toPicker(format, text)).toBe(shown)
  })
})
