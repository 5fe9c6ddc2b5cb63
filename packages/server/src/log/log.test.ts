import { codePoint } from '@sdk/test-kit'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { defaultLogLevel, logDefaults } from './log-defaults.ts'
import { createLog, errorFields, withFields, type Log, type LogOptions } from './log.ts'

function logTo(options: LogOptions = {}): { log: Log; lines: string[]; last(): Record<string, unknown> } {
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => void lines.push(line), now: () => 0, ...options })
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> }
}

describe('createLog', () => {
  it('writes a JSON line immediately', () => {
    const { log, lines } = logTo({ fields: { app: 'shop' } })
    log.warn('slow', { ms: 1200, at: new Date(5), missing: undefined })
    expect(lines).toEqual([
      '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"slow","app":"shop","ms":1200,"at":"1970-01-01T00:00:00.005Z"}',
    ])
  })

  it('writes readable lines in the pretty format', () => {
    const { log, lines } = logTo({ format: 'pretty' })
    const time = new Date(0).toTimeString().slice(0, 8)
    log.info('listening', { port: 3000, host: '::' })
    log.error('it broke', {
      error: 'it broke',
      stack: 'Error: it broke\n    at x',
      cause: { error: 'no', stack: 'Error: no' },
    })
    expect(lines).toEqual([
      `${time} info  listening port=3000 host="::"`,
      `${time} error it broke\nError: it broke\n    at x\nError: no`,
    ])
  })

  it('escapes line breaks and control characters', () => {
    const { log, lines } = logTo({ format: 'pretty', colors: false })
    log.info('a\nb\u001B[2J', { 'x\r': 'y\u0007\u009B' })
    expect(lines[0]).toContain(String.raw`a\x0ab\x1b[2J x\x0d=`)
    // oxlint-disable-next-line no-control-regex -- the test looks for control characters
    expect(lines[0]).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/)
  })

  it('uses colors if they are enabled', () => {
    const { log, lines } = logTo({ format: 'pretty', colors: true })
    log.error('x')
    expect(lines[0]).toContain('\u001B[31merror\u001B[39m')
  })

  it('ignores messages below its level', () => {
    const { log, lines } = logTo({ level: 'warn' })
    log.debug('a')
    log.info('b')
    log.warn('c')
    log.error('d')
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual(['c', 'd'])
    const silent = logTo({ level: 'silent' })
    silent.log.error('e')
    expect(silent.lines).toEqual([])
  })

  it('reads its level from LOG_LEVEL', () => {
    vi.stubEnv('LOG_LEVEL', 'error')
    const lines: string[] = []
    const log = createLog({ write: (line) => void lines.push(line) })
    log.warn('a')
    log.error('b')
    expect(lines).toHaveLength(1)
  })

  it('rejects an unknown level', () => {
    expect(() => createLog({ level: 'loud' as never })).toThrow(
      'the log level must be debug, info, warn, error or silent, got "loud"',
    )
    vi.stubEnv('LOG_LEVEL', 'loud')
    expect(() => createLog()).toThrow('LOG_LEVEL must be debug')
    expect(() => createLog({ level: 'warn' })).not.toThrow()
  })

  it('renames fields that conflict with time, level and message', () => {
    const { log, last } = logTo()
    log.info('text', { message: 'other', level: 9, time: 'now' })
    expect(last()).toMatchObject({ message: 'text', level: 'info', message_: 'other', level_: 9, time_: 'now' })
  })

  it('accepts an error as the fields', () => {
    const { log, last } = logTo()
    log.error('no answer', new Error('refused', { cause: 'tired' }) as never)
    expect(last()).toMatchObject({ message: 'no answer', error: 'refused', cause: { error: 'tired' } })
  })

  it('redacts secrets by name, but not token counts', () => {
    const { log, lines, last } = logTo()
    log.info('x', {
      headers: {
        Authorization: 'Bearer s3cret',
        'set-cookie': ['s3cret'],
        a: { b: { clientSecret: { x: 's3cret' } } },
      },
      password: 's3cret',
      accessToken: 's3cret',
      apiKey: 's3cret',
      inputTokens: 12,
      hasCookie: true,
      token: null,
    })
    expect(lines[0]).not.toContain('s3cret')
    expect(last()).toMatchObject({ password: '[redacted]', inputTokens: 12, hasCookie: true, token: null })
  })

  it('truncates long strings and arrays, and reports how much is missing', () => {
    const { log, lines, last } = logTo()
    log.info('y'.repeat(9_000), { text: 'x'.repeat(100_000), list: Array.from({ length: 5_000 }, () => 'item') })
    expect(last()['text']).toBe(`${'x'.repeat(8_192)}… (91808 more characters)`)
    expect(last()['message']).toContain('… (808 more characters)')
    expect(last()['list']).toContainEqual(expect.stringMatching(/^… \(\d+ more\)$/))
    expect(lines[0]?.length).toBeLessThan(40_000)
  })

  it.each<[string, () => unknown]>([
    ['a circular object', circular],
    ['a bigint', () => 12n],
    ['a getter that throws', () => Object.defineProperty({}, 'x', { enumerable: true, get: fail })],
    ['toJSON that throws', () => ({ toJSON: fail })],
    ['toJSON that returns itself', selfish],
    ['a proxy that throws', () => new Proxy({}, { ownKeys: fail, get: fail, has: fail, getPrototypeOf: fail })],
    ['a function', () => fail],
    ['a symbol', () => Symbol('x')],
    ['bytes', () => new Uint8Array(1_000_000)],
    ['an invalid date', () => new Date(Number.NaN)],
    ['a deep object', () => deep(100_000)],
    ['an error', () => new Error('inside', { cause: 'why' })],
  ])('handles %s', (_, make) => {
    const value = make()
    for (const format of ['json', 'pretty'] as const) {
      const { log, lines } = logTo({ format, fields: { app: 'shop' } })
      log.info('in a field', { value })
      log.info('as the fields', value as never)
      log.info(value as never)
      withFields(log, { requestId: 'abc' }).info('within', value as never)
      expect(lines).toHaveLength(4)
      expect(lines[3]).toContain('abc')
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(20_000)
      expect(format === 'pretty' || lines.every((line) => (JSON.parse(line) as { app: string }).app === 'shop')).toBe(
        true,
      )
    }
  })

  it('does not throw if its writer throws', () => {
    const log = createLog({ write: fail })
    expect(() => log.error('x')).not.toThrow()
  })

  it('writes the same JSON as JSON.stringify', () => {
    const { log, last } = logTo()
    const words = fc.jsonValue({ maxDepth: 5 })
    fc.assert(
      fc.property(words, fc.string({ unit: codePoint }), (value, message) => {
        log.info(message, { value })
        expect(last()).toEqual({
          time: '1970-01-01T00:00:00.000Z',
          level: 'info',
          message,
          value: JSON.parse(JSON.stringify(value)),
        })
      }),
      { numRuns: 100 },
    )
  })
})

describe('logDefaults', () => {
  it.each([
    [{}, true, 'pretty', true],
    [{}, false, 'json', false],
    [{ NODE_ENV: 'production' }, true, 'json', true],
    [{ NO_COLOR: '1' }, true, 'pretty', false],
    [{ NO_COLOR: '' }, true, 'pretty', true],
    [{ FORCE_COLOR: '1' }, false, 'json', true],
    [{ FORCE_COLOR: '0' }, false, 'json', false],
  ])('returns the defaults for %j, on a terminal: %s', (env, isTerminal, format, isColoured) => {
    expect(logDefaults({ env, isTerminal })).toEqual({ format, isColoured })
  })
})

describe('defaultLogLevel', () => {
  it.each([
    [{}, 'debug'],
    [{ NODE_ENV: 'production' }, 'info'],
    [{ LOG_LEVEL: 'WARN ' }, 'warn'],
    [{ LOG_LEVEL: '', NODE_ENV: 'production' }, 'info'],
  ])('returns the level for %j', (env, level) => {
    expect(defaultLogLevel({ env })).toBe(level)
  })

  it('rejects an unknown level', () => {
    expect(() => defaultLogLevel({ env: { LOG_LEVEL: 'verbose' } })).toThrow(
      'LOG_LEVEL must be debug, info, warn, error or silent, got "verbose"',
    )
  })
})

describe('errorFields', () => {
  it('returns an error with its causes', () => {
    const fields = errorFields(new Error('a', { cause: new Error('b', { cause: 'c' }) }))
    expect(fields).toMatchObject({
      error: 'a',
      stack: expect.stringContaining('Error: a'),
      cause: { error: 'b', cause: { error: 'c' } },
    })
  })

  it.each<[string, () => unknown, string]>([
    ['a string', () => 'text', 'text'],
    ['an object', () => ({ a: 1 }), '{"a":1}'],
    ['undefined', () => undefined, 'null'],
    ['an unreadable object', () => new Proxy({}, { getPrototypeOf: fail }), '[unreadable]'],
  ])('describes %s', (_, make, error) => expect(errorFields(make())).toEqual({ error }))
})

function fail(): never {
  throw new Error('no')
}

function selfish(): object {
  return {
    toJSON() {
      return this
    },
  }
}

function circular(): object {
  const a: Record<string, unknown> = {}
  a['self'] = { list: [a] }
  return a
}

function deep(levels: number): object {
  let object = {}
  for (let level = 0; level < levels; level++) object = { object }
  return object
}
