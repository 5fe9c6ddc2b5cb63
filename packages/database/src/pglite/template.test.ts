import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { PgliteEngine, PgliteEngineOptions } from './pglite-engine.ts'
import { startFromTemplate } from './template.ts'

it('starts a new database from the template of the build', async () => {
  const started: PgliteEngineOptions[] = []
  const start = (options: PgliteEngineOptions): Promise<PgliteEngine> => {
    started.push(options)
    return Promise.resolve({} as PgliteEngine)
  }
  await startFromTemplate(start, null)
  const isBuilt = existsSync(join(import.meta.dirname, '../../dist/template.tar.gz'))
  expect(started.map(({ template }) => template !== null)).toEqual([isBuilt])
})
