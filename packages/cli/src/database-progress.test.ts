import { channel } from 'node:diagnostics_channel'
import { createLog } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { logDatabaseProgress } from './database-progress.ts'

describe('logDatabaseProgress', () => {
  it('logs progress and warnings until it is stopped', () => {
    const lines: string[] = []
    const log = createLog({ write: (line) => lines.push(line), format: 'json' })
    const stop = logDatabaseProgress(log)
    const progress = channel('sdk:database:progress')
    progress.publish({ state: 'opening', text: 'opening it' })
    progress.publish({ state: 'lost', text: 'it is lost' })
    stop()
    progress.publish({ state: 'opening', text: 'again' })
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'info', message: 'opening it' },
      { level: 'warn', message: 'it is lost' },
    ])
  })
})
