import { createApp, createLog, type LogFields } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { createDevLog } from './dev-log.ts'

describe('createDevLog', () => {
  it('shows only stack lines of the project', () => {
    const stack =
      'Error: no\n    at run (/sdk/server.js:1:1)\n    at handler (/app/src/a.ts:2:3)\n    at x (/app/node_modules/x/i.js:1:1)'
    expect(written({ error: 'no', stack })).toMatchObject({ stack: 'Error: no\n    at handler (/app/src/a.ts:2:3)' })
  })

  it('shows stack lines of a project whose path contains a space', () => {
    const lines: string[] = []
    const log = createLog({ write: (line) => void lines.push(line), format: 'pretty', colors: false })
    const stack = 'Error: no\n    at handler (/my%20app/src/a.ts:2:3)'
    createDevLog(log, '/my app').error('it failed', { error: 'no', stack })
    expect(lines.join('')).toContain('at handler (/my app/src/a.ts:2:3)')
  })

  it("shows names as in the source, without the variables of Vite's module runner", () => {
    const [error, shown] = ['(0 , __vite_ssr_import_1__.later) is not a function', 'later is not a function']
    const frame = '\n    at handler (/app/src/a.ts:2:3)'
    expect(written({ error, stack: `TypeError: ${error}${frame}` })).toMatchObject({
      error: shown,
      stack: `TypeError: ${shown}${frame}`,
    })
  })

  it('omits a stack without lines of the project, but keeps the cause', () => {
    const cause = { error: 'ECONNREFUSED', stack: 'Error: ECONNREFUSED\n    at net:1:1' }
    const line = written({ error: 'no', stack: 'Error: no\n    at run (/sdk/server.js:1:1)', cause })
    expect(line).toMatchObject({ error: 'no', cause: { error: 'ECONNREFUSED' } })
    expect(JSON.stringify(line)).not.toContain('stack')
  })

  it('keeps the lines of a message, so that SQL can be copied', () => {
    const lines: string[] = []
    const log = createLog({ write: (line) => void lines.push(line), format: 'pretty', colors: false })
    const error = 'it does not fit:\n  alter table "tasks"'
    createDevLog(log, '/app').error('not ready', { error, stack: `Error: ${error}\n    at run (/sdk/server.js:1:1)` })
    expect(lines.join('')).toMatch(/^\S+ error not ready\nError: it does not fit:\n {2}alter table "tasks"\n?$/)
  })

  it('adds a hint for an unreachable database', () => {
    expect(written({ error: 'The database cannot be reached' })).toMatchObject({
      hint: expect.stringContaining('DATABASE_URL'),
    })
  })

  it('adds a hint for system errors, also of the bundler, without its stack', () => {
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
      message: 'cannot optimize the dependencies of the web app: fix the error and restart sdk dev',
      error: 'Failed to write file in /app/.sdk/vite/deps/react.js: No space left on device',
      hint: expect.stringContaining('the disk is full'),
    })
  })

  it('keeps the short request lines', async () => {
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
