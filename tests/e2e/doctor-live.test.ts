import { openDatabase, table, type Database } from '@sdk/database'
import { createResource } from '@sdk/server'
import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDemoProject } from './demo-project.ts'
import { sdkHere } from './sdk-here.ts'

const API = `import { createResource, createRouter } from '@sdk/server'
import { table } from '@sdk/database'
import { z } from 'zod'

const schema = z.object({ title: z.string().max(100) })
const tasks = createResource('tasks', { schema, store: table('tasks'), access: 'public', live: true })
export default createRouter().resource('v1', tasks)
`

interface Finding {
  readonly code: string
  readonly place: string
  readonly fix: string
}

describe.skipIf(!hasPostgres())('sdk doctor in a project with a live table', () => {
  const project = createDemoProject({ 'package.json': '{ "type": "module" }', 'src/api/index.ts': API })
  let url: string
  let owner: Database

  /** Returns the findings about the table, for the role in a database URL. */
  async function check(databaseUrl: string): Promise<Finding[]> {
    const [, output] = await sdkHere(project.path, ['doctor', '--json'], { PORT: '0', DATABASE_URL: databaseUrl })
    return (JSON.parse(output) as Finding[]).filter(({ code }) => code === 'LIVE_TRIGGERS_MISSING')
  }

  beforeAll(async () => {
    url = await createDatabase()
    owner = openDatabase(url)
    const schema = z.object({ title: z.string().max(100) })
    const { store } = createResource('tasks', { schema, store: table('tasks', { database: owner }), access: 'public' })
    await store.ready?.()
  })
  afterAll(() => owner?.close())

  it('reports a table that its role does not own, with SQL that the owner can run', async () => {
    const role = `reader_${Date.now()}`
    await owner.query(`create role ${role} login password 'secret'`)
    await owner.query(`grant select, insert, update, delete on tasks to ${role}`)
    const other = Object.assign(new URL(url), { username: role, password: 'secret' }).href
    const [finding, ...rest] = await check(other)
    expect([finding?.place, rest]).toEqual(['table tasks', []])
    const [, sql = ''] = /run this SQL as the owner:\n([^]*)$/.exec(finding?.fix ?? '') ?? []
    await owner.query(sql)
    expect(await check(other)).toEqual([])
  })

  it('reports a dropped trigger', async () => {
    expect(await check(url)).toEqual([])
    await owner.query('drop trigger sdk_live_update on tasks')
    expect(await check(url)).toMatchObject([{ place: 'table tasks', fix: expect.stringContaining('sdk_live_update') }])
  })
})
