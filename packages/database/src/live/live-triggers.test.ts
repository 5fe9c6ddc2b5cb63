import { DATABASE_KINDS } from '@sdk/test-kit'
import type { Store } from '@sdk/server'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Database, openDatabase } from '../index.ts'
import { type Announced, liveTable, watch } from './live-table.test.fixture.ts'
import { parseNotification } from './live-triggers.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`the triggers of a live table on ${kind}`, () => {
    let database: Database
    let store: Required<Store>
    let announced: Announced
    beforeAll(async () => {
      database = await open(openDatabase)
      store = liveTable(database, 'things')
      await store.ready()
      announced = await watch(store, database.query)
    })
    beforeEach(async () => {
      await database.query('truncate things restart identity cascade')
      await vi.waitUntil(() => announced.changes.at(-1) === null, { timeout: 15_000 })
      announced.changes.length = 0
    })
    afterAll(async () => {
      announced.stop()
      await store.close()
      await database.close()
    })
    /** Returns the changes so far. The last one is of a row that is created for this purpose. */
    async function changes(): Promise<Announced['changes']> {
      const last = await store.create({ title: 'last' })
      await expect.poll(() => announced.changes.at(-1)).toEqual([last.id])
      return announced.changes.slice(0, -1)
    }
    const insert = (count: number): Promise<unknown> =>
      database.query(`insert into things (title) select n::text from generate_series(1, ${count}) n`)

    it('announce the rows that the store changes', async () => {
      const { id } = await store.create({ title: 'a' })
      await store.replace({ id, where: {} }, { title: 'b' })
      await store.delete({ id, where: {} })
      expect(await changes()).toEqual([[id], [id], [id]])
    })

    it('announce the rows of each SQL statement', async () => {
      await insert(3)
      await database.query(`update things set title = 'x' where id < 3`)
      await database.query('delete from things where id > 1')
      expect(await changes()).toEqual([
        [1, 2, 3],
        [1, 2],
        [2, 3],
      ])
    })

    it('announce both ids of a row whose id has changed', async () => {
      await insert(1)
      await database.query('alter table things alter id drop identity')
      await database.query('update things set id = 70')
      await database.query('alter table things alter id add generated always as identity')
      const [, ids] = await changes()
      expect(new Set(ids)).toEqual(new Set([1, 70]))
    })

    it('announce the inserted and updated rows of an upsert', async () => {
      await insert(1)
      const upsert = `insert into things (id, title) overriding system value values (1, 'a'), (50, 'b')
        on conflict (id) do update set title = excluded.title`
      await database.query(upsert)
      expect((await changes()).flat()).toEqual(expect.arrayContaining([1, 50]))
    })

    it('announce nothing without a changed row or after a rollback', async () => {
      await database.query(`update things set title = 'x' where id = 7`)
      const failing = database.transaction(async ({ query }) => {
        await query(`insert into things (title) values ('gone')`)
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      expect(await changes()).toEqual([])
    })

    it('announce up to 200 rows by id, and more rows as all', async () => {
      await insert(200)
      await insert(201)
      await database.query(`update things set title = 'x' where id <= 200`)
      await database.query(`update things set title = 'x'`)
      await database.query('delete from things')
      expect(await changes()).toEqual([
        expect.toSatisfy((ids) => new Set(ids).size === 200),
        null,
        expect.toSatisfy((ids) => new Set(ids).size === 200),
        null,
        null,
      ])
    })

    it('announce a truncated table and rows that were deleted with their parent', async () => {
      await database.query('create table parents (id bigint primary key)')
      await database.query('insert into parents values (1), (2)')
      await database.query('alter table things add parent bigint references parents on delete cascade')
      await database.query(`insert into things (title, parent) values ('a', 1), ('b', 2)`)
      await database.query('delete from parents where id = 2')
      await database.query('truncate parents cascade')
      expect(await changes()).toEqual([[1, 2], [2], null])
      await database.query('drop table parents cascade')
    })

    it('announce tables with the longest names', async () => {
      const names = ['a', 'b'].map((end) => `${'long_'.repeat(12)}na${end}`)
      const stores = names.map((name) => liveTable(database, name))
      const both = await Promise.all(
        stores.map(async (one) => {
          await one.ready()
          return watch(one, database.query)
        }),
      )
      await stores[1]?.create({ title: 'a' })
      await expect.poll(() => both.map((one) => one.changes)).toEqual([[], [[1]]])
      for (const { stop } of both) stop()
    })
  })
}

describe('parseNotification', () => {
  it('returns the ids, or null if they are not numbers', () => {
    expect(parseNotification('tasks 7,9')).toEqual({ table: 'tasks', ids: [7, 9] })
    expect(parseNotification('my "table" 7')).toEqual({ table: 'my "table"', ids: [7] })
    for (const ids of ['*', '7,x', '1.5', '99999999999999999999'])
      expect(parseNotification(`tasks ${ids}`)).toEqual({ table: 'tasks', ids: null })
    expect(parseNotification('')).toEqual({ table: '', ids: [0] })
  })
})
