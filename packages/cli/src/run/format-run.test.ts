import { createTerminalStyle } from '@sdk/server/node'
import type { Run } from '@sdk/workbench'
import { describe, expect, it } from 'vitest'
import { toRunLines, toRunTable } from './format-run.ts'

const HOSTILE = '\u001B]0;title\u0007\u009B31m'

const run: Run = {
  id: 'a',
  requestId: 'b',
  route: null,
  kind: 'route',
  method: 'GET',
  target: `/api/${HOSTILE}`,
  state: 'failed',
  status: 500,
  startedAt: 0,
  ms: 1,
  bytes: 1,
  chunks: 0,
  caller: HOSTILE,
  identity: { userId: 'c', email: HOSTILE, name: null },
  error: HOSTILE,
  revision: 1,
  isPinned: false,
  request: { headers: [], body: { text: HOSTILE, bytes: 9, isCut: false } },
  response: null,
  pieces: [{ text: `one\ttwo\n${HOSTILE}`, bytes: 9, isCut: false, at: 1 }],
  spans: [],
  models: [],
  recordings: [],
  logs: [{ at: 1, level: 'info', message: HOSTILE, fields: null, spanId: 0 }],
  thrown: { name: 'Error', message: `first\n${HOSTILE}`, code: null, frames: [], codeFrame: HOSTILE, cause: null },
  traceId: null,
  closed: null,
}

describe.each([
  ['toRunTable', () => toRunTable([run])],
  ['toRunLines', () => toRunLines(run, createTerminalStyle(false))],
])('%s', (_, print) => {
  it('escapes control characters in recorded values', () => {
    const lines = print()
    expect(lines.join('').replaceAll('\t', '')).not.toMatch(/\p{Cc}/u)
    expect(lines.join('\n')).toContain(String.raw`\x1b]0;title\x07\x9b31m`)
  })
})

describe('toRunLines', () => {
  it('keeps line breaks and tabs in text', () => {
    const lines = toRunLines(run, createTerminalStyle(false))
    expect(lines).toContain('  one\ttwo')
    expect(lines).toContain('  Error: first')
  })
})
