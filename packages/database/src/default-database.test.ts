import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createResource, type Store } from '@sdk/server'
import { emptyDatabase, temporaryFolder } from '@sdk/test-kit'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { shareDefaultDatabase } from './default-database.ts'
import { openDatabase, table } from './index.ts'

const folder = temporaryFolder('default-database')
afterAll(() => folder.remove())

function storeOf(name: string): Required<Store> {
  const definition = { schema: z.object({ title: z.string() }), store: table(name), access: 'public' as const }
  return createResource('things', definition).store as Required<Store>
}

describe('the default database of tables', () => {
  it('is read from the environment on first use and shared until the last table closes', async () => {
    const [notes, tasks] = [storeOf('notes'), storeOf('tasks')]
    vi.stubEnv('DATABASE_URL', 'pglite://memory')
    await Promise.all([notes.ready(), tasks.ready()])
    await notes.create({ title: 'a' })
    await notes.close()
    await notes.close()
    expect(await tasks.create({ title: 'b' })).toMatchObject({ id: 1 })
    expect(await notes.get({ id: 1, where: {} })).toMatchObject({ title: 'a' })
    await Promise.all([notes.close(), tasks.close()])
    expect(await notes.get({ id: 1, where: {} })).toBeNull()
    await notes.close()
  })

  it('is opened again as soon as its directory is free', async () => {
    vi.stubEnv('DATABASE_URL', `pglite://${join(folder.path, 'data')}`)
    const first = shareDefaultDatabase()
    await (await first.database).query('create table kept (text text)')
    const closing = first.release()
    const second = shareDefaultDatabase()
    expect(await (await second.database).query('select * from kept')).toEqual([])
    await Promise.all([closing, first.release()])
    expect(await (await second.database).query('select * from kept')).toEqual([])
    await second.release()
  })

  it('is not opened while a project is inspected', async () => {
    const directory = join(folder.path, 'inspected')
    vi.stubEnv('DATABASE_URL', `pglite://${directory}`)
    vi.stubEnv('SDK_PHASE', 'inspect')
    const notes = storeOf('notes')
    await notes.ready()
    await expect(notes.create({ title: 'a' })).rejects.toThrow('while the CLI inspects the project')
    await notes.close()
    expect(existsSync(directory)).toBe(false)
  })

  it('must be set in production before a table can be defined', async () => {
    vi.stubEnv('DATABASE_URL', '')
    vi.stubEnv('NODE_ENV', 'production')
    expect(() => table('notes')).toThrow('DATABASE_URL is not set')
    vi.stubEnv('DATABASE_URL', await emptyDatabase())
    const notes = storeOf('notes')
    await notes.ready()
    await notes.close()
  })

  it('is opened after its invalid URL was corrected', async () => {
    const [notes, tasks] = [storeOf('notes'), storeOf('tasks')]
    vi.stubEnv('DATABASE_URL', 'mysql://localhost')
    expect(() => table('notes')).toThrow('mysql://')
    await expect(notes.ready()).rejects.toThrow('mysql://')
    vi.stubEnv('DATABASE_URL', await emptyDatabase())
    await Promise.all([notes.ready(), tasks.ready()])
    await Promise.all([notes.close(), tasks.close()])
  })

  it('causes SERVICE_UNAVAILABLE while it cannot be reached', async () => {
    vi.stubEnv('DATABASE_URL', 'postgres://127.0.0.1:1/none')
    const notes = storeOf('notes')
    const unavailable = { code: 'SERVICE_UNAVAILABLE', retryAfter: 1 }
    await expect(notes.ready()).rejects.toMatchObject(unavailable)
    await expect(notes.create({ title: 'a' })).rejects.toMatchObject(unavailable)
    await notes.close()
  })

  it('is not used by tables with another database, which stays open', async () => {
    const database = openDatabase(await emptyDatabase())
    const source = table('notes', { database })
    const shape = { name: 'notes', fields: [], filter: [], sort: [], unique: [] }
    const notes = source(shape) as Required<Store>
    await notes.ready()
    await notes.close()
    expect(await database.query('select * from notes')).toEqual([])
    await database.close()
  })
})
