import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lastTick, nextTick, parseCron } from './cron.ts'

/** Returns the next ticks after a time as ISO 8601. */
function ticks(text: string, timeZone: string, from: string, count: number): string[] {
  const cron = parseCron(text, timeZone, 'schedule')
  const found: string[] = []
  for (let time = Date.parse(from); found.length < count;) {
    time = nextTick(cron, time) ?? Number.NaN
    found.push(new Date(time).toISOString().replace(':00.000Z', 'Z'))
  }
  return found
}

describe('parseCron', () => {
  it.each([
    ['* * * * *', '2026-01-01T00:00:30Z', '2026-01-01T00:01Z'],
    ['*/20 5-6,9 * * *', '2026-01-01T06:40:00Z', '2026-01-01T09:00Z'],
    ['7/20 * * * *', '2026-01-01T00:08:00Z', '2026-01-01T00:27Z'],
    ['0 7 * * MON-fri', '2026-01-02T07:00:00Z', '2026-01-05T07:00Z'],
    ['0 0 * * 7', '2026-01-01T00:00:00Z', '2026-01-04T00:00Z'],
    ['0 0 1 feb *', '2026-01-01T00:00:00Z', '2026-02-01T00:00Z'],
    ['0 0 13 * 5', '2026-02-06T00:00:00Z', '2026-02-13T00:00Z'],
    ['0 0 13 * 5', '2026-01-09T00:00:00Z', '2026-01-13T00:00Z'],
    ['0 0 29 2 *', '2096-03-01T00:00:00Z', '2104-02-29T00:00Z'],
  ])('finds the tick of %s after %s', (text, from, expected) => {
    expect(ticks(text, 'UTC', from, 1)).toEqual([expected])
  })

  it.each([
    ['* * * *', 'must be a cron expression with the fields'],
    ['0 0 7 * * *', 'must be a cron expression with the fields'],
    ['@daily', 'must be a cron expression with the fields'],
    ['60 * * * *', 'the minute must be within 0–59, got "60" in "60 * * * *"'],
    ['* 24 * * *', 'the hour must be within 0–23'],
    ['* * 0 * *', 'the day must be within 1–31'],
    ['* * * FOO *', 'the month must be within 1–12'],
    ['* * * * 8', 'the weekday must be within 0–7'],
    ['5-1 * * * *', 'the minute'],
    ['*/0 * * * *', 'the minute'],
    ['1,,2 * * * *', 'the minute'],
    ['-1 * * * *', 'the minute'],
    ['0 0 31 2 *', 'must match a date'],
  ])('rejects %s', (text, message) => {
    expect(() => parseCron(text, 'UTC', 'schedule')).toThrow(message)
    expect(() => parseCron(text, 'UTC', 'schedule')).toThrow(TypeError)
  })

  it('rejects unknown time zones', () => {
    for (const zone of ['Europe/Nowhere', '', 7, null])
      expect(() => parseCron('0 7 * * *', zone, 'schedule')).toThrow('timeZone must be an IANA time zone')
  })
})

describe('nextTick in time zones', () => {
  it.each([
    // The clocks are set from 2:00 to 3:00 on March 29, and from 3:00 to 2:00 on October 25.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28', ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z']],
    ['0,30 2 * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T01:00Z', '2026-03-30T00:00Z']],
    ['30 2,3 * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T01:00Z', '2026-03-29T01:30Z', '2026-03-30T00:30Z']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24', ['2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['0,30 1,2 * * *', 'Europe/Berlin', '2026-10-25', ['2026-10-25T00:30Z', '2026-10-26T00:00Z', '2026-10-26T00:30Z']],
    [
      '0,30 2 * * *',
      'Europe/Berlin',
      '2026-10-24',
      ['2026-10-24T00:30Z', '2026-10-25T00:00Z', '2026-10-25T00:30Z', '2026-10-26T01:00Z'],
    ],
    ['0 3 * * *', 'Europe/Berlin', '2026-10-25', ['2026-10-25T02:00Z', '2026-10-26T02:00Z']],
    // A schedule for every hour follows the elapsed time.
    ['30 * * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T00:30Z', '2026-03-29T01:30Z', '2026-03-29T02:30Z']],
    ['30 * * * *', 'Europe/Berlin', '2026-10-25', ['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T02:30Z']],
    // 2:00 to 3:00 on March 8, and 2:00 to 1:00 on November 1.
    ['30 2 * * *', 'America/New_York', '2026-03-08', ['2026-03-08T07:00Z', '2026-03-09T06:30Z']],
    ['30 1 * * *', 'America/New_York', '2026-11-01', ['2026-11-01T05:30Z', '2026-11-02T06:30Z']],
    // 2:00 to 2:30 on October 4, and 2:00 to 1:30 on April 5.
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03', ['2026-10-03T15:30Z', '2026-10-04T15:15Z']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04', ['2026-04-04T14:45Z', '2026-04-05T15:15Z']],
    [
      '15,45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04',
      ['2026-04-04T14:15Z', '2026-04-04T14:45Z', '2026-04-05T14:45Z'],
    ],
    // The clocks are set back at midnight, to the previous date.
    ['30 23 * * *', 'Asia/Beirut', '2026-10-24', ['2026-10-24T20:30Z', '2026-10-25T21:30Z']],
    // A date that does not exist.
    ['0 7 * * *', 'Pacific/Apia', '2011-12-29', ['2011-12-29T17:00Z', '2011-12-30T10:00Z', '2011-12-30T17:00Z']],
  ])('runs %s in %s from %s', (text, timeZone, from, expected) => {
    expect(ticks(text, timeZone, `${from}T00:00:00Z`, expected.length)).toEqual(expected)
  })

  it('agrees with lastTick, for any expression and time', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu')
    const fields = fc.tuple(fc.nat(59), fc.constantFrom('*', '0', '1,2', '1-3', '*/6', '23'), zones)
    const time = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-12-31') })
    fc.assert(
      fc.property(fields, time, ([minute, hour, timeZone], at) => {
        const cron = parseCron(`${minute} ${hour} * * *`, timeZone, 'schedule')
        const next = nextTick(cron, at) ?? Number.NaN
        expect(next).toBeGreaterThan(at)
        expect(lastTick(cron, next, at)).toBe(next)
        expect(lastTick(cron, next - 1, at)).toBeNull()
        const last = lastTick(cron, at, at - 3 * 86_400_000) ?? Number.NaN
        expect(nextTick(cron, last)).toBe(next)
        expect(nextTick(cron, last - 1)).toBe(last)
      }),
    )
  })
})
