import type { RequestRecord } from './access-line.ts'
import { codePoint } from '@sdk/test-kit'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAccessLog } from './access-log.ts'
import { createLog, type LogOptions } from './log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const RECORD: RequestRecord = {
  time: Date.UTC(2026, 0, 31, 12, 0, 5, 7),
  requestId: 'b1f5c6e0-3f0a',
  method: 'POST',
  route: 'POST /agent/summarize',
  target: '/agent/summarize',
  status: 200,
  ms: 1.23456,
  bytes: 340,
  userId: null,
  traceId: null,
  aborted: false,
}

function accessTo(options: LogOptions = {}) {
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => void lines.push(line), now: () => RECORD.time, ...options })
  return { lines, log, access: createAccessLog({ log }) }
}

describe('createAccessLog', () => {
  it('writes JSON with ordered members after 100 ms', () => {
    const { access, lines } = accessTo({ fields: { app: 'shop' } })
    access.add(RECORD)
    expect(lines).toEqual([])
    vi.advanceTimersByTime(100)
    expect(lines).toEqual([
      '{"time":"2026-01-31T12:00:05.007Z","level":"info","message":"POST /agent/summarize 200"' +
        ',"requestId":"b1f5c6e0-3f0a","method":"POST","route":"POST /agent/summarize","target":"/agent/summarize"' +
        ',"status":200,"ms":1.235,"bytes":340,"userId":null,"traceId":null,"aborted":false,"app":"shop"}',
    ])
  })

  it('keeps the order of requests and log lines', () => {
    const { access, log, lines } = accessTo()
    access.add({ ...RECORD, status: 201 })
    log.info('between')
    access.add({ ...RECORD, status: 202 })
    void access.flush()
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
      'POST /agent/summarize 201',
      'between',
      'POST /agent/summarize 202',
    ])
  })

  it.each([
    [200, 'info'],
    [304, 'info'],
    [404, 'info'],
    [500, 'error'],
    [503, 'error'],
  ])('logs a %i as %s', (status, level) => {
    const { access, lines } = accessTo()
    access.add({ ...RECORD, status })
    void access.flush()
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level, status })
  })

  it('respects the level of its log', () => {
    const { access, lines } = accessTo({ level: 'error' })
    access.add(RECORD)
    access.add({ ...RECORD, status: 500 })
    void access.flush()
    expect(lines).toHaveLength(1)
  })

  it('logs the path if no route matches', () => {
    const { access, lines } = accessTo()
    access.add({ ...RECORD, route: null, method: 'GET', target: '/nope', status: 404 })
    void access.flush()
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'GET /nope 404', route: null })
  })

  it('writes exactly the given values as JSON', () => {
    const { access, lines } = accessTo()
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: codePoint }),
      fc.constantFrom('"', '\\', '\n', '\u2028', '\uD800'),
    )
    const maybe = fc.option(text)
    const count = fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e8, noNaN: true }))
    const record = fc.record({
      time: fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
      requestId: text,
      method: text,
      route: maybe,
      target: text,
      status: fc.nat(999),
      ms: count,
      bytes: fc.nat(),
      userId: maybe,
      traceId: maybe,
      aborted: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), (records) => {
        lines.length = 0
        for (const one of records) access.add(one)
        void access.flush()
        const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
        expect(read).toEqual(
          records.map((one) => ({
            ...(JSON.parse(JSON.stringify(one)) as object),
            time: new Date(one.time).toISOString(),
            level: one.status >= 500 ? 'error' : 'info',
            message: `${one.route ?? `${one.method} ${one.target}`} ${one.status}`,
            ms: expect.closeTo(one.ms, 2) as unknown,
          })),
        )
        expect(lines.join('')).not.toContain('\n')
      }),
      { numRuns: 100 },
    )
  })

  it.each([Number.NaN, Infinity, -1, 1e21, 0.0004])('writes valid JSON for unusual numbers: %d', (odd) => {
    const { access, lines } = accessTo()
    access.add({ ...RECORD, time: odd, ms: odd, bytes: odd, status: odd })
    void access.flush()
    expect(JSON.parse(lines[0] ?? '')).toHaveProperty('ms')
  })

  it('writes columns in the pretty format, with the path last', () => {
    const { access, lines } = accessTo({ format: 'pretty' })
    access.add(RECORD)
    access.add({
      ...RECORD,
      method: 'DELETE',
      status: 500,
      ms: 65_000,
      bytes: 3_400_000,
      target: '/api/\u001B[2J',
      userId: '7',
      aborted: true,
    })
    void access.flush()
    const time = new Date(RECORD.time).toTimeString().slice(0, 8)
    expect(lines).toEqual([
      `${time} 200 POST     1.23 ms    340 B  /agent/summarize`,
      `${time} 500 DELETE   1.1 min   3.4 MB  /api/\\x1b[2J user 7 aborted b1f5c6e0-3f0a`,
    ])
  })

  it('colors the status', () => {
    const { access, lines } = accessTo({ format: 'pretty', colors: true })
    for (const status of [200, 304, 404, 500]) access.add({ ...RECORD, status })
    void access.flush()
    expect(lines.map((line) => /\[(3\d)m\d{3}/.exec(line)?.[1])).toEqual(['32', '36', '33', '31'])
  })

  it('calls a custom log with a message and fields', () => {
    const calls: unknown[][] = []
    const at =
      (level: string) =>
      (...args: unknown[]) =>
        void calls.push([level, ...args])
    const access = createAccessLog({
      log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    })
    access.add(RECORD)
    access.add({ ...RECORD, status: 502 })
    expect(calls).toEqual([])
    vi.advanceTimersByTime(100)
    const { time: _, ...fields } = { ...RECORD, at: '2026-01-31T12:00:05.007Z' }
    expect(calls).toEqual([
      ['info', 'POST /agent/summarize 200', fields],
      ['error', 'POST /agent/summarize 502', { ...fields, status: 502 }],
    ])
  })
})
