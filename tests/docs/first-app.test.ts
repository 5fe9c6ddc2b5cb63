import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTerminal, runCommandLine } from '@sdk/cli'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filesOf, shownIn } from './shown.ts'
import { writePage } from './write-page.ts'

const PAGE = 'docs/guide/first-app.md'

describe('docs/guide/first-app.md', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp((await writePage(PAGE)).path)
    await app.call('POST /api/v1/tasks', { title: 'Buy tea' })
  })
  afterAll(() => app?.close())

  it('shows the output of the summarize agent', async () => {
    const chunks = await app.agent('summarize').collect({ text: 'Tea is hot. Ice is cold.' })
    expect(chunks.map((chunk) => JSON.stringify(chunk)).join('\n')).toBe(shownIn(PAGE)[1])
  })

  it('stores tasks and lists the open ones, newest first', async () => {
    await app.call('POST /api/v1/tasks', { title: 'Drink it' })
    const query = { done: false, sort: '-createdAt' }
    const page = await app.call('GET /api/v1/tasks', undefined, { query })
    expect(page).toMatchObject({ data: [{ title: 'Drink it', done: false }, { title: 'Buy tea' }] })
  })

  it('keeps the other routes of the template', async () => {
    expect(await app.call('GET /api/status')).toEqual({ status: 'ok', database: 'pglite' })
    await expect(app.call('GET /api/v1/notes')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })
})

describe('sdk add', () => {
  it('writes the files that the page shows', async () => {
    const { path: cwd } = await writePage('docs/guide/project.md')
    const dependencies = { '@sdk/database': '*' }
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'my-app', type: 'module', dependencies }))
    const terminal = { ...createTerminal(), out: () => {}, err: () => {} }
    for (const args of [
      ['add', 'agent', 'summarize'],
      ['add', 'resource', 'tasks'],
    ])
      expect(await runCommandLine(args, { cwd, terminal })).toBe(0)
    const shown = filesOf(PAGE)
    const read = (file: string): string => readFileSync(join(cwd, file), 'utf8')
    for (const file of ['src/agent/summarize/index.ts', 'src/api/tasks.ts']) expect(read(file)).toBe(shown.get(file))
    // The file in the folder starts with a line that names it.
    expect(read('src/api/index.ts')).toBe(`// src/api/index.ts\n${shown.get('src/api/index.ts')}`)
  })
})
