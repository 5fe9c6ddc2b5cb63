import { createDatabase, freePort, hasPostgres, type NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDemoProject } from './demo-project.ts'
import { runSdk, startDev } from './mistakes/terminal.ts'
import { runSdkHere } from './sdk-here.ts'

const API = `import { createResource, createRouter } from '@sdk/server'
import { table } from '@sdk/database'
import { z } from 'zod'

const notes = createResource('notes', { schema: z.object({ text: z.string() }), store: table('notes'), access: 'public' })

export default createRouter().resource('v1', notes)
`

describe('sdk sql', () => {
  const project = createDemoProject()
  let server: NodeProcess

  const sql = (...args: string[]): Promise<string> => runSdkHere(project.path, ['sql', ...args])

  beforeAll(() => {
    project.write('src/api/index.ts', API)
    project.remove('src/web')
  })
  afterAll(() => server?.kill())

  it('does not create a database', async () => {
    expect(await sql('select 1')).toMatchInlineSnapshot(`
      "✗ the database does not exist yet
        sdk dev creates it on first use
        for details, run sdk explain NO_DATABASE
      (1)"
    `)
  })

  it('reads and writes rows of the running dev server', async () => {
    server = await startDev(project)
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ text: 'Tea at five' })
    expect((await fetch(`${server.url}/api/v1/notes`, { method: 'POST', headers, body })).status).toBe(201)
    expect(await sql('select id, text from notes')).toBe('id  text\n1   Tea at five\n(1 row)\n(0)')
    expect(await sql(`update notes set text = 'Tea at six'`, '--write')).toBe(
      'done; add "returning *" to see the rows\n(0)',
    )
    const one = (await (await fetch(`${server.url}/api/v1/notes/1`)).json()) as { text: string }
    expect(one.text).toBe('Tea at six')
  })

  it('rejects writes without --write and multiple statements', async () => {
    expect(await sql('delete from notes')).toContain('add --write to change rows')
    expect(await sql('commit; delete from notes')).toContain('pass one valid PostgreSQL statement')
    expect(await sql('select * from nots')).toContain('list the tables')
    expect(await sql('select count(*) from notes', '--json')).toBe('[\n  {\n    "count": 1\n  }\n]\n(0)')
  })

  it('does not change the connection of the app', async () => {
    expect(await sql('set search_path to nowhere')).toBe('(0 rows)\n(0)')
    expect((await fetch(`${server.url}/api/v1/notes`)).status).toBe(200)
  })

  it('escapes control characters in values and column names', async () => {
    expect(await sql(`select 'a' || chr(27) || '[2Jb' as text, 'c' as "d${String.fromCharCode(27)}"`)).toBe(
      'text       d\\x1b\na\\x1b[2Jb  c\n(1 row)\n(0)',
    )
  })

  it('reports an invalid statement and an unreachable database', async () => {
    expect(await sql('select * from notes where id = $1')).toContain('put the values in the statement')
    expect(await runSdkHere(project.path, ['sql', 'select 1'], { DATABASE_URL: 'mysql://ada:secret@db/app' }))
      .toMatchInlineSnapshot(`
      "✗ A database URL must have the form postgres://user:password@host/name, pglite://some/directory or pglite://memory, got mysql://…
        for details, run sdk explain SQL_FAILED
      (1)"
    `)
    const away = { DATABASE_URL: `postgres://ada:secret@127.0.0.1:${await freePort()}/app` }
    expect(await runSdkHere(project.path, ['sql', 'select 1'], away)).toMatchInlineSnapshot(`
      "✗ The database cannot be reached: connect ECONNREFUSED 127.0.0.1:<port>
        start the database, or correct the host and port in DATABASE_URL; sdk doctor checks the connection
        for details, run sdk explain SQL_FAILED
      (1)"
    `)
  })

  it('opens the database itself after the dev server has stopped', async () => {
    await server.kill()
    expect(await sql('select text from notes')).toBe('text\nTea at six\n(1 row)\n(0)')
  })

  it.skipIf(!hasPostgres())('queries PostgreSQL if DATABASE_URL is set', async () => {
    const env = { DATABASE_URL: await createDatabase() }
    expect(await runSdk(project.path, ['sql', 'select 6 * 7 as answer'], env)).toBe('answer\n42\n(1 row)\n(0)')
  })
})
