import type { Problem } from '@sdk/workbench'
import { createTerminalStyle } from '@sdk/server/node'
import { describe, expect, it } from 'vitest'
import { createTextReport, createJsonReport, type DevReport } from './dev-report.ts'
import type { Terminal } from '../terminal.ts'

const server = { url: 'http://127.0.0.1:4001', port: 4001, workbench: 'http://127.0.0.1:4001/_workbench', close }
const broken = { message: 'Unexpected token', file: 'src/x.ts', place: { line: 3, column: 7 }, frame: '> 3 | x' }
const problems: Problem[] = ['one', 'two'].map((name) => ({ route: `POST /agent/${name}`, ...broken }))

describe('createTextReport', () => {
  it('prints a problem that affects several agents only once', () => {
    const lines = listen(createTextReport, (report) => report.loaded({ files: ['src/x.ts'], ms: 12.4, problems }))
    expect(lines).toEqual(['↻ src/x.ts 12 ms', '✗ src/x.ts:3:7\n  Unexpected token\n  > 3 | x'])
  })

  it('warns if it uses another port or a public host', () => {
    const lines = listen(createTextReport, (report) => report.ready(server, { port: 4000, host: '0.0.0.0' }))
    expect(lines[0]).toBe('! port 4000 is in use: using port 4001')
    expect(lines.slice(-2)).toEqual([
      expect.stringContaining('! sdk dev listens on 0.0.0.0'),
      expect.stringContaining('! the workbench opens only with the link above'),
    ])
    expect(listen(createTextReport, (report) => report.ready(server, { port: 0, host: '127.0.0.1' }))).toHaveLength(3)
  })
})

describe('createJsonReport', () => {
  it('writes one JSON object per line', () => {
    const lines = listen(createJsonReport, (report) => {
      report.loaded({ files: [], ms: 80, problems: [] })
      report.ready(server, { port: 4000, host: '127.0.0.1' })
      report.loaded({ files: ['src/x.ts'], ms: 12.4, problems })
      report.settingsChanged('.env')
      report.closing('SIGINT')
    })
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { event: 'ready', url: server.url, port: 4001, workbench: server.workbench, ms: expect.any(Number) },
      { event: 'reload', files: ['src/x.ts'], ms: 12 },
      ...problems.map((problem) => ({ event: 'problem', ...problem })),
      { event: 'settings-changed', file: '.env' },
      { event: 'closing', signal: 'SIGINT' },
    ])
  })
})

function listen(create: (terminal: Terminal) => DevReport, happen: (report: DevReport) => void): string[] {
  const lines: string[] = []
  const out = (line = ''): void => void lines.push(line)
  happen(create({ out, write: out, err: out, paint: createTerminalStyle(false) }))
  return lines
}

function close(): Promise<void> {
  return Promise.resolve()
}
