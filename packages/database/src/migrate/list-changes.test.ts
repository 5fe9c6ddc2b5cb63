import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase } from '../index.ts'
import { storeOf, type Version } from '../table/table.test.fixture.ts'

const title = z.string().max(100)
const SAFE = 'safe while the old version is running'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`a plan on ${kind}`, () => {
    let database: Database
    let count = 0
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    async function begin(version: Version, rows: readonly Record<string, unknown>[]): Promise<string> {
      count += 1
      const name = `things_${count}`
      const store = storeOf(database, name, version)
      await store.ready()
      for (const row of rows) await store.create(row)
      return name
    }

    it('creates the table and its indexes, without creating them', async () => {
      const { table, changes } = await storeOf(database, 'planned', { fields: { title }, sort: ['title'] }).plan()
      expect(table).toBe('planned')
      expect(changes.map(({ what, why, kind: found }) => [what, why, found])).toEqual([
        ['the table does not exist', null, 'automatic'],
        ['an index is missing', null, 'automatic'],
      ])
      expect(changes[1]?.steps).toEqual([
        {
          sql: 'create index if not exists "planned.title,id" on "planned" ("title", "id")',
          judgement: SAFE,
          mode: 'transaction',
        },
      ])
      expect(await database.query(`select to_regclass('planned') as found`)).toEqual([{ found: null }])
    })

    it('is empty if the table matches', async () => {
      const version: Version = { fields: { title, size: z.int().default(1) }, sort: ['size'], unique: ['title'] }
      const name = await begin(version, [{ title: 'a', size: 1 }])
      expect((await storeOf(database, name, version).plan()).changes).toEqual([])
    })

    it('adds columns, and indexes of existing tables without blocking writes', async () => {
      const name = await begin({ fields: { title } }, [{ title: 'a' }])
      const version: Version = { fields: { title, note: title.nullable() }, unique: ['title'] }
      const { changes } = await storeOf(database, name, version).plan()
      expect(changes.map(({ what, kind: found, steps }) => [what, found, ...steps])).toEqual([
        [
          'the field note was added',
          'automatic',
          {
            sql: `alter table "${name}" add column if not exists "note" text collate "C"`,
            judgement: SAFE,
            mode: 'transaction',
          },
        ],
        [
          'an index is missing',
          'automatic',
          {
            sql: `create unique index concurrently if not exists "${name}.title unique" on "${name}" ("title")`,
            judgement: SAFE,
            mode: 'no transaction',
          },
        ],
      ])
      for (const { sql } of changes.flatMap(({ steps }) => steps)) await database.query(sql)
      const after = storeOf(database, name, version)
      expect((await after.plan()).changes).toEqual([])
      await after.create({ title: 'b', note: null })
      await expect(after.create({ title: 'b', note: null })).rejects.toMatchObject({ code: 'CONFLICT' })
    })

    it('lists what the table is refused for, with the loss of duplicates', async () => {
      const name = await begin({ fields: { title } }, [{ title: 'a' }, { title: 'a' }])
      const { changes } = await storeOf(database, name, { fields: { title }, unique: ['title'] }).plan()
      expect(changes[0]).toMatchObject({ kind: 'needed', what: 'title must now be unique' })
      expect(changes[0]?.steps).toMatchObject([
        { sql: expect.stringMatching(/^delete /) as string, judgement: 'loses data' },
      ])
    })
  })
}
