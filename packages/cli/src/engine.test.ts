import { join } from 'node:path'
import { createLog } from '@sdk/server'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { openEngine } from './engine.ts'

describe('openEngine', () => {
  it('says loudly when Redis is asked for and not installed, and goes on alone', async () => {
    const lines: string[] = []
    const log = createLog({ write: (line) => void lines.push(line) })
    const from = join(temporaryFolder('engine').path, 'package.json')
    const engine = await openEngine({ from, log, redisUrl: 'redis://127.0.0.1:1' })
    expect(lines.join()).toContain('npm install @sdk/redis')
    expect(await engine.publish('room', '1')).toMatchObject({ offset: 1 })
  })
})
