import { createApp, createLog, type LogFields } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { createDevLog } from './dev-log.ts'

describe('createDevLog', () => {
  it('shows of a stack what lies in the project', () => {
    const stack =
      'Error: no\n    at run (/sdk/server.js:1:1)\n    at handler (/app/src/a.ts:2:3)\n    at x (/app/node_modules/x/i.js:1:1)'
    expect(written({ error: 'no', stack })).toMatchObject({ stack: 'Error: no\n    at handler (/app/src/a.ts:2:3)' })
  })

  it('shows none where none of it does, and the cause all the same', () => {
    const cause = { error: 'ECONNREFUSED', stack: 'Error: ECONNREFUSED\n    at net:1:1' }
    const line = written({ error: 'no', stack: 'Error: no\n    at run (/sdk/server.js:1:1)', cause })
    expect(line).toMatchObject({ error: 'no', cause: { error: 'ECONNREFUSED' } })
    expect(JSON.stringify(line)).not.toContain('stack')
  })

  it('shows a message of several lines as such, so that its SQL can be copied', () => {
    const lines: string[] = []
    const log = createLog({ write: (line) => void lines.push(line), format: 'pretty', colors: false })
    const error = 'it does not fit:\n  alter table "tasks"'
    createDevLog(log, '/app').error('not ready', { error, stack: `Error: ${error}\n    at run (/sdk/server.js:1:1)` })
    expect(lines.join('')).toMatch(/^\S+ error not ready\nError: it does not fit:\n {2}alter table "tasks"\n?$/)
  })

  it('says what to do about a database that is not there', () => {
    expect(written({ error: 'The database cannot be reached' })).toMatchObject({
      hint: expect.stringContaining('DATABASE_URL'),
    })
  })

  it('says what to do where the system refuses, also the bundler, and without the stack of that', () => {
    const error = "EACCES: permission denied, open 'notes.txt'"
    expect(written({ error, stack: `Error: ${error}\n    at handler (/app/src/a.ts:2:3)` })).toMatchObject({
      error,
      stack: expect.stringContaining('/app/src/a.ts:2:3'),
      hint: expect.stringContaining('ls -l'),
    })
    expect(written({ error: `Error: ${error}` })).toMatchObject({ message: 'it failed', hint: expect.any(String) })
    const text = `Error during dependency optimization:

Build failed with 1 error:

Failed to write file in /app/.sdk/vite/deps/react.js

Caused by:
    No space left on device (os error 28)

Stack backtrace:
   0: <unknown>`
    expect(written({ requestIds: [], error: text, stack: `Error: ${text}` })).toEqual({
      time: expect.any(String),
      level: 'error',
      message: 'the packages of the web app could not be prepared: mend this, and restart sdk dev',
      error: 'Failed to write file in /app/.sdk/vite/deps/react.js: No space left on device',
      hint: expect.stringContaining('the disk is full'),
    })
  })

  it('keeps the short lines of requests', async () => {
    const lines: string[] = []
    const log = createLog({ write: (line) => void lines.push(line), format: 'pretty', colors: false })
    const app = createApp({ log: createDevLog(log, '/app') })
    await app.fetch(new Request('http://localhost/api/nope'))
    await app.close()
    expect(lines.join('\n')).toMatch(/^\S+ 404 GET +[\d.]+ ms +\d+ B +\/api\/nope\n?$/)
  })
})

function written(fields: LogFields): unknown {
  const lines: string[] = []
  createDevLog(createLog({ write: (line) => void lines.push(line) }), '/app').error('it failed', fields)
  return JSON.parse(lines.join(''))
}
