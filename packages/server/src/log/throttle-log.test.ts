import type { LogFields } from './log-value.ts'
import { describe, expect, it } from 'vitest'
import type { Log } from './log.ts'
import { throttleLog } from './throttle-log.ts'

describe('throttleLog', () => {
  it('logs a message once in ten seconds, with the number of omitted ones', () => {
    const lines: [string, LogFields | undefined][] = []
    const take = (message: string, fields?: LogFields): void => void lines.push([message, fields])
    const log: Log = { debug: take, info: take, warn: take, error: take }
    let now = 0
    const quiet = throttleLog(log, () => now)
    for (; now < 20_000; now += 10) quiet.warn('away', { now })
    quiet.error('broken')
    now = 60_000
    quiet.warn('away', { now })
    quiet.error('broken')
    expect(lines).toEqual([
      ['away', { now: 0 }],
      ['away', { now: 10_000, omitted: 999 }],
      ['broken', undefined],
      ['away', { now: 60_000, omitted: 999 }],
      ['broken', undefined],
    ])
  })

  it('logs other errors separately, and limits the number of errors it remembers', () => {
    const errors: unknown[] = []
    const take = (_message: string, fields?: LogFields): void => void errors.push(fields?.['error'])
    const quiet = throttleLog({ debug: take, info: take, warn: take, error: take }, () => 0)
    for (const error of ['no database', 'no Redis', 'no database', 'no Redis']) quiet.error('failed', { error })
    expect(errors).toEqual(['no database', 'no Redis'])
    for (let n = 0; n < 1_000; n += 1) quiet.error('failed', { error: `reason ${n}` })
    quiet.error('failed', { error: 'no database' })
    expect(errors.at(-1)).toBe('no database')
  })
})
