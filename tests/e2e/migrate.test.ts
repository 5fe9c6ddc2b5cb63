import { createDatabase, hasPostgres, spawnNode, startProcess } from '@sdk/test-kit'
import { openDatabase } from '@sdk/database'
import { beforeAll, describe, expect, it } from 'vitest'
import { SDK, URL_LINE } from './build-project.ts'
import { createDemoProject, type DemoProject } from './demo-project.ts'
import { sdkHere } from './sdk-here.ts'
import { soon } from './soon.ts'

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

/** The API of a project with a reference to a table that is created later. */
const REFERENCES = `import { createResource, createRouter } from '@sdk/server'
import { table } from '@sdk/database'
import { z } from 'zod'

const comments = createResource('comments', {
  schema: z.object({ noteId: z.int() }),
  store: table('comments'),
  access: 'public',
  references: { noteId: { to: 'notes', onDelete: 'cascade' } },
})
const notes = createResource('notes', { schema: z.object({}), store: table('notes'), access: 'public' })
export default createRouter().resource('v1', comments).resource('v1', notes)
`

const PENDING = 3

describe.skipIf(!hasPostgres())('sdk migrate', () => {
  let url: string
  let project: DemoProject
  const sdk = (...args: string[]): Promise<[number, string]> => sdkHere(project.path, args, { DATABASE_URL: url })
  const setFields = (fields: string, options?: string): void =>
    project.write('src/api/index.ts', toApi(fields, options))
  /** Copies a migration file as a build does, which takes longer. */
  const deploy = (file: string): void => project.write(`dist/server/${file}`, project.read(file))
  const production = (): Record<string, string> => ({ NODE_ENV: 'production', DATABASE_URL: url })
  const start = async (...args: string[]): Promise<[number | null, string]> => {
    const command = { command: process.execPath, args: [SDK, 'start', '--port', '0', ...args], cwd: project.path }
    const running = await startProcess({ ...command, env: production() })
    return [(await running.exited).code, running.output()]
  }
  beforeAll(async () => {
    url = await createDatabase()
    project = createDemoProject({ 'package.json': '{ "name": "demo", "type": "module" }\n' })
  })

  it('prints the SQL of a new table, and exits with 3 only with --check', async () => {
    setFields('title')
    const [code, output] = await sdk('migrate')
    expect(code).toBe(0)
    expect(output).toContain(
      '-- notes: the table does not exist\n-- safe while the old version is running\ncreate table if not exists "notes"',
    )
    expect(output).toMatch(/-- drafts: not stored with table\(\).* manage their own migrations/)
    expect(output).toContain('-- pending changes: 1 that sdk start applies automatically')
    expect((await sdk('migrate', '--check'))[0]).toBe(PENDING)
    const database = openDatabase(url)
    expect(await database.query(`select to_regclass('notes') as found`)).toEqual([{ found: null }])
    for (const { steps } of (JSON.parse((await sdk('migrate', '--json'))[1]) as PlanJson).changes)
      for (const { sql } of steps) await database.query(sql)
    await database.close()
    expect(await sdk('migrate', '--check')).toEqual([0, expect.stringContaining('-- nothing to do')])
  })

  it('writes a reviewed file, which sdk start applies once and refuses when it was edited', async () => {
    setFields('title, note: title.nullable()')
    expect(await sdk('migrate', '--write', 'add-note')).toEqual([
      0,
      'migrations/0001-add-note.sql written: review and commit it; sdk start and sdk dev apply it\n',
    ])
    const file = 'migrations/0001-add-note.sql'
    expect(project.read(file)).toContain(`
-- step 1: notes: the field note was added (safe while the old version is running)
-- only if the table notes exists
alter table "notes" add column if not exists "note" text collate "C";
`)
    const again = await sdk('migrate', '--write', 'again')
    expect(again).toEqual([
      1,
      expect.stringContaining('migrations/0001-add-note.sql has not been applied to this database'),
    ])
    expect(await sdk('migrate')).toEqual([0, expect.stringContaining('-- migrations/0001-add-note.sql: 1 pending')])

    project.edit(file, '"note" text collate "C"', `"note" text collate "C" default 'reviewed'`)
    expect(await sdkHere(project.path, ['build'])).toEqual([0, expect.any(String)])
    expect(await start('--check')).toMatchObject([
      PENDING,
      expect.stringContaining('1 pending step, which sdk start will apply'),
    ])
    const server = await spawnNode({
      file: SDK,
      args: ['start', '--port', '0'],
      ready: URL_LINE,
      cwd: project.path,
      env: production(),
    })
    await soon(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200))
    expect(server.output()).toMatch(/"message":"migration applied","file":"0001-add-note.sql","step":1/)
    await server.stop()
    expect(await start('--check', '--json')).toEqual([0, expect.stringContaining('"changes": []')])
    const database = openDatabase(url)
    await database.query(`insert into notes (title) values ('a')`)
    expect(await database.query('select note from notes')).toEqual([{ note: 'reviewed' }])
    await database.close()
    expect((await sdk('migrate', '--write', 'again', '--json'))[1]).toContain('NOTHING_TO_WRITE')

    project.edit(file, 'reviewed', 'edited')
    deploy(file)
    const [code, output] = await start()
    expect(code).toBe(1)
    expect(output).toMatch(/0001-add-note.sql was edited, but step 1 has already been applied: restore the file/)
    expect(output).toContain('sdk explain MIGRATION_EDITED')
  })

  it('applies the files also in sdk dev, and starts without a database that is away', async () => {
    project.edit('migrations/0001-add-note.sql', 'edited', 'reviewed')
    project.write('migrations/0002-more.sql', `update notes set note = 'seen by dev';\n`)
    const dev = await startProcess({
      command: process.execPath,
      args: [SDK, 'dev', '--port', '0'],
      cwd: project.path,
      env: { DATABASE_URL: url },
    })
    await dev.waitFor(/migration applied/)
    await dev.stop()
    for (const file of ['0001-add-note.sql', '0002-more.sql']) deploy(`migrations/${file}`)
    const env = { ...production(), DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' }
    const server = await spawnNode({
      file: SDK,
      args: ['start', '--port', '0'],
      ready: URL_LINE,
      cwd: project.path,
      env,
    })
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503)
    expect((await fetch(`${server.url}/api/v1/notes`)).status).toBe(503)
    expect(server.output()).toContain('the migrations have not been applied yet')
    await server.kill()
  })

  it('serves while a long migration runs, but is not ready before it has ended', async () => {
    project.write('migrations/0003-slow.sql', 'select pg_sleep(7);\n')
    deploy('migrations/0003-slow.sql')
    const args = ['start', '--port', '0']
    const server = await spawnNode({ file: SDK, args, ready: URL_LINE, cwd: project.path, env: production() })
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    const ready = await fetch(`${server.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'failing', failed: ['notes', 'migrations'] }])
    await soon(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200))
    await server.kill()
    project.remove('migrations/0003-slow.sql')
  })

  it('asks whether a field was renamed, and writes the rest with --finish', async () => {
    setFields('label: title, note: title.nullable()')
    const [, output] = await sdk('migrate')
    expect(output).toContain(`
-- was title renamed to label? Alternatives:
--   keep the column: table('notes', { columns: { label: 'title' } })
--   after the old version has stopped: alter table "notes" rename column "title" to "label";
`)
    expect(await sdk('migrate', '--write', 'rename')).toEqual([
      0,
      expect.stringMatching(/0003-rename.sql written.*\nstatements left/),
    ])
    expect(project.read('migrations/0003-rename.sql')).not.toContain('requires the old version to be stopped')
    project.remove('migrations/0003-rename.sql')
    expect((await sdk('migrate', '--write', 'rename', '--finish'))[0]).toBe(0)
    expect(project.read('migrations/0003-rename.sql')).toContain('\n-- alter table "notes" drop column')
    project.remove('migrations/0003-rename.sql')
    setFields('label: title, note: title.nullable()', `, { columns: { label: 'title' } }`)
    expect((await sdk('migrate', '--check'))[1]).toContain('-- nothing to do')
  })

  it('plans the foreign keys of references after the tables', async () => {
    const other = createDemoProject({ 'package.json': '{ "name": "demo", "type": "module" }\n' })
    const env = { DATABASE_URL: await createDatabase() }
    other.write('src/api/index.ts', REFERENCES)
    const { changes } = JSON.parse((await sdkHere(other.path, ['migrate', '--json'], env))[1]) as PlanJson
    const statements = changes.flatMap(({ steps }) => steps.map(({ sql }) => sql))
    expect(statements.slice(-2)).toEqual([
      'alter table "comments" add constraint "comments.note_id cascade" foreign key ("note_id") references "notes" ("id") on delete cascade not valid',
      'alter table "comments" validate constraint "comments.note_id cascade"',
    ])
    const database = openDatabase(env.DATABASE_URL)
    for (const sql of statements) await database.query(sql)
    await database.close()
    expect((await sdkHere(other.path, ['migrate', '--check'], env))[0]).toBe(0)
  })

  it.each(['Add Note', '../x', ''])('rejects the name %j', async (name) => {
    expect((await sdk('migrate', '--write', name))[0]).toBe(2)
  })

  it('explains that the database cannot be reached', async () => {
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' }
    const [code, output] = await sdkHere(project.path, ['migrate', '--check'], env)
    expect(code).toBe(1)
    expect(output).toMatch(/The database cannot be reached: connect ECONNREFUSED/)
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
