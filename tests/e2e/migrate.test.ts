import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { openDatabase } from '@sdk/database'
import { beforeAll, describe, expect, it } from 'vitest'
import { createDemoProject, type DemoProject } from './demo-project.ts'
import { sdkHere } from './sdk-here.ts'

/** The API of a project with one resource in a table, and one whose store keeps its own migrations. */
function toApi(fields: string, options = ''): string {
  return `import { createResource, createRouter, memoryStore } from '@sdk/server'
import { table } from '@sdk/database'
import { z } from 'zod'

const title = z.string().max(100)
const notes = createResource('notes', { schema: z.object({ ${fields} }), store: table('notes'${options}), access: 'public' })
const drafts = createResource('drafts', { schema: z.object({ title }), store: memoryStore(), access: 'public' })
export default createRouter().resource('v1', notes).resource('v1', drafts)
`
}

const PENDING = 3

describe.skipIf(!hasPostgres())('sdk migrate', () => {
  let url: string
  let project: DemoProject
  const sdk = (...args: string[]): Promise<[number, string]> => sdkHere(project.path, args, { DATABASE_URL: url })
  const setFields = (fields: string, options?: string): void =>
    project.write('src/api/index.ts', toApi(fields, options))
  beforeAll(async () => {
    url = await createDatabase()
    project = createDemoProject({ 'package.json': '{ "name": "demo", "type": "module" }\n' })
  })

  it('prints the SQL of a new table, and exits with 3 only with --check', async () => {
    setFields('title')
    const [code, output] = await sdk('migrate')
    expect(code).toBe(0)
    expect(output).toContain(
      '-- notes: the table does not exist\n-- safe beside the running version\ncreate table "notes"',
    )
    expect(output).toMatch(/-- drafts: not a store of table\(\).* keep their own migrations/)
    expect(output).toContain('-- pending changes: 1 that sdk start applies by itself')
    expect((await sdk('migrate', '--check'))[0]).toBe(PENDING)
    const database = openDatabase(url)
    expect(await database.query(`select to_regclass('notes') as found`)).toEqual([{ found: null }])
    for (const { steps } of (JSON.parse((await sdk('migrate', '--json'))[1]) as PlanJson).changes)
      for (const { sql } of steps) await database.query(sql)
    await database.close()
    expect(await sdk('migrate', '--check')).toEqual([0, expect.stringContaining('-- nothing to do')])
  })

  it('explains that the database cannot be reached', async () => {
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' }
    const [code, output] = await sdkHere(project.path, ['migrate', '--check'], env)
    expect(code).toBe(1)
    expect(output).toMatch(/cannot be compared with the schemas: The database cannot be reached.*ECONNREFUSED/)
    expect(output).toContain('sdk explain MIGRATION_FAILED')
  })

  it('creates no embedded database', async () => {
    const [code, output] = await sdkHere(project.path, ['migrate', '--json'], { DATABASE_URL: undefined })
    expect([code, JSON.parse(output)]).toMatchObject([1, { error: { code: 'NO_DATABASE' } }])
  })
})

interface PlanJson {
  changes: { kind: string; steps: { sql: string; judgement: string }[] }[]
}
