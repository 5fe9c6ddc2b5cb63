import { createLog, type LogFields } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { hintingLog } from './log-hints.ts'

describe('hintingLog', () => {
  it.each([
    ['The database cannot be reached', /host and port in DATABASE_URL/],
    ['password authentication failed for user "ada"', /password in DATABASE_URL/],
    ['database "app" does not exist', /createdb/],
    ['The server does not support SSL connections', /sslmode/],
    ['permission denied for schema public', /grant create/],
    ['unable to verify the first certificate', /NODE_EXTRA_CA_CERTS/],
    ['unable to get local issuer certificate', /NODE_EXTRA_CA_CERTS/],
  ])('adds a hint to "%s", and omits the stack', (error, hint) => {
    const cause = { error: 'why', stack: 'Error: why\n    at x' }
    expect(written({ error, stack: `Error: ${error}\n    at y`, cause })).toEqual(
      expect.objectContaining({ error, cause: { error: 'why' }, hint: expect.stringMatching(hint) }),
    )
    expect(written({ error, stack: 'Error' })).not.toHaveProperty('stack')
  })

  it.each([
    ['The database cannot be reached', 'sorry, too many clients already', /max_connections/],
    ['The database cannot be reached', 'timeout exceeded when trying to connect', /pg_stat_activity/],
    ['The database cannot be reached', 'connect ECONNREFUSED 127.0.0.1:5432', /start the database/],
    ['Redis rejected the command', "OOM command not allowed when used memory > 'maxmemory'.", /Redis is out of memory/],
    ['Redis is unreachable', 'connect ECONNREFUSED 127.0.0.1:6379', /start Redis/],
  ])('derives the hint for "%s" from its cause "%s"', (error, why, hint) => {
    const inside = { error: 'The request failed', cause: { error, cause: { error: why } } }
    expect(written({ error, cause: { error: why } })).toHaveProperty('hint', expect.stringMatching(hint))
    expect(written(inside)).toHaveProperty('hint', expect.stringMatching(hint))
  })

  it('does not change unknown errors', () => {
    expect(written({ error: 'no', stack: 'Error: no' })).toMatchObject({ error: 'no', stack: 'Error: no' })
    expect(written({ error: 'no' })).not.toHaveProperty('hint')
    const own = {
      error: 'unable to get the price of tea',
      stack: 'Error: unable to get the price of tea\n    at price',
    }
    expect(written(own)).toMatchObject(own)
  })
})

function written(fields: LogFields): unknown {
  const lines: string[] = []
  hintingLog(createLog({ write: (line) => void lines.push(line) })).error('it failed', fields)
  return JSON.parse(lines.join(''))
}
