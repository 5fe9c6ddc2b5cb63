import { describe, expect, it } from 'vitest'
import { createDevLog } from './dev-log.ts'
import { createPaint } from './terminal.ts'

describe('createDevLog', () => {
  it('prints time, message and fields, and an error with its stack', () => {
    const lines: string[] = []
    const log = createDevLog({ write: (line) => void lines.push(line), paint: createPaint(false), now: () => 0 })
    log.info('summarizing', { requestId: 'r', length: 12 })
    log.error('no', { error: 'no', stack: 'Error: no\n    at x' })
    expect(lines).toEqual(['00:00:00 summarizing length=12', '00:00:00 error no', 'Error: no\n    at x'])
  })
})
