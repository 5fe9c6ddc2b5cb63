import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createAccessLog } from './access-log.ts'
import { createLog, withFields } from './log.ts'
import { fromPino, toLog } from './pino.ts'

function pinoTo() {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line) as never) })
  return { logger, lines }
}

describe('fromPino', () => {
  it('passes the fields and the message to pino', () => {
    const { logger, lines } = pinoTo()
    const log = fromPino(logger)
    log.debug('a')
    log.info('b', { x: 1 })
    withFields(log, { requestId: 'abc' }).warn('100 %d', { y: 2 })
    log.error('d')
    expect(lines).toMatchObject([
      { level: 20, msg: 'a' },
      { level: 30, msg: 'b', x: 1 },
      { level: 40, msg: '100 %d', requestId: 'abc', y: 2 },
      { level: 50, msg: 'd' },
    ])
  })

  it('logs requests', () => {
    const { logger, lines } = pinoTo()
    const access = createAccessLog({ log: fromPino(logger) })
    access.add({
      time: 5,
      requestId: 'r',
      method: 'GET',
      route: 'GET /api/status',
      target: '/api/status',
      status: 200,
      ms: 1,
      bytes: 2,
      userId: '7',
      traceId: null,
      aborted: false,
    })
    void access.flush()
    expect(lines).toMatchObject([
      { level: 30, msg: 'GET /api/status 200', userId: '7', at: '1970-01-01T00:00:00.005Z' },
    ])
    expect(lines[0]?.['time']).toBeGreaterThan(5)
  })
})

describe('toLog', () => {
  it('accepts pino and its children', () => {
    const { logger, lines } = pinoTo()
    toLog(logger).info('a', { x: 1 })
    toLog(logger.child({ part: 'db' })).info('b', { x: 2 })
    expect(lines).toMatchObject([
      { msg: 'a', x: 1 },
      { msg: 'b', x: 2, part: 'db' },
    ])
  })

  it('returns a log unchanged', () => {
    const log = createLog()
    expect(toLog(log)).toBe(log)
  })
})
