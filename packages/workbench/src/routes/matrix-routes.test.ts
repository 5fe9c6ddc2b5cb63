import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRouter, createApp, createLog } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { temporaryFolder } from '@sdk/test-kit'
import { expect, it, onTestFinished } from 'vitest'
import { addMatrixRoutes } from './matrix-routes.ts'

const RESULT = { route: 'POST /agent/poem', at: '2026-01-02T00:00:00.000Z', scores: { small: 1 }, cells: [{ row: 0 }] }

it('lists the stored matrices, newest first, and skips other files', async () => {
  const project = temporaryFolder('matrix-routes').path
  const folder = join(project, '.sdk/matrix')
  const router = createRouter()
  addMatrixRoutes(router, { project })
  const app = await testApp(createApp({ router, log: createLog({ write: () => {} }) }))
  onTestFinished(() => app.close())
  expect(await app.call('GET /_workbench/api/matrix')).toEqual({ results: [] })

  mkdirSync(folder, { recursive: true })
  writeFileSync(join(project, '.sdk/secret.json'), JSON.stringify(RESULT))
  const files = {
    '1-a': JSON.stringify(RESULT),
    '2-b': JSON.stringify(RESULT),
    '3-c': '{',
    '4-d': '{"cells":7}',
    '5-e': 'null',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.json`), text)
  const head = { route: 'POST /agent/poem', at: RESULT.at, scores: { small: 1 }, calls: 1 }
  const results = [
    { id: '2-b', ...head },
    { id: '1-a', ...head },
  ]
  expect(await app.call('GET /_workbench/api/matrix')).toEqual({ results })
  const get = (id: string): Promise<unknown> => app.call('GET /_workbench/api/matrix/:id', { params: { id } })
  expect(await get('1-a')).toEqual(RESULT)
  for (const id of ['3-c', '5-e', '../secret', '..\\secret', 'none'])
    await expect(get(id)).rejects.toMatchObject({ status: 404 })
})
