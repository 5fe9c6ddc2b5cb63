import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createLog } from '@sdk/server'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { openEngineFromEnv } from './engine.ts'

describe('openEngineFromEnv', () => {
  it('warns and uses memory if REDIS_URL is set but @sdk/redis is not installed', async () => {
    const lines: string[] = []
    const log = createLog({ write: (line) => void lines.push(line) })
    const folder = temporaryFolder('engine').path
    writeFileSync(join(folder, 'pnpm-lock.yaml'), '')
    const from = pathToFileURL(join(folder, 'server.js')).href // as in a built server
    const engine = await openEngineFromEnv({
      from,
      log,
      instances: undefined,
      env: { REDIS_URL: 'redis://127.0.0.1:1' },
    })
    expect(lines.join()).toContain('Run pnpm add @sdk/redis')
    expect(await engine.publish('room', '1')).toMatchObject({ offset: 1 })
  })

  it.each([
    ['a local engine for an embedded database', { DATABASE_URL: 'pglite://.sdk/data' }, undefined, true],
    ['a local engine for PostgreSQL with one instance', { DATABASE_URL: 'postgres://127.0.0.1:1/x' }, 1, true],
    ['a shared engine for PostgreSQL', { DATABASE_URL: 'postgres://127.0.0.1:1/x' }, undefined, false],
    ['a Redis engine', { DATABASE_URL: 'postgres://127.0.0.1:1/x', REDIS_URL: 'redis://127.0.0.1:1' }, 1, false],
  ] as const)('opens %s', async (_, env, instances, isLocal) => {
    const log = createLog({ write: () => {} })
    const engine = await openEngineFromEnv({ from: import.meta.filename, log, instances, env })
    // A shared engine is unreachable here.
    const outcome = await engine.check?.().catch(() => 'out of reach')
    expect(outcome === undefined).toBe(isLocal)
    await engine.close()
  })
})
