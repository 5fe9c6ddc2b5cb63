import { AsyncLocalStorage } from 'node:async_hooks'
import { createDatabase, DATABASE_KINDS, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../index.ts'
import { liveTable, watch } from './live-table.test.fixture.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`the changes of live tables on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    it('are announced to all watchers of the table until they stop', async () => {
      const [things, others] = [liveTable(database, 'things'), liveTable(database, 'others')]
      await Promise.all([things.ready(), others.ready()])
      const [first, second, other] = await Promise.all([
        watch(things, database.query),
        watch(things, database.query),
        watch(others, database.query),
      ])
      await new Promise((resolve) => setTimeout(resolve, 50)) // the notifications of the others
      for (const { changes } of [first, second, other]) changes.length = 0
      const { id } = await things.create({ title: 'a' })
      await expect.poll(() => [first.changes, second.changes]).toEqual([[[id]], [[id]]])
      first.stop()
      await things.create({ title: 'b' })
      await expect.poll(() => second.changes).toEqual([[id], [id + 1]])
      await things.close()
      await others.create({ title: 'c' })
      await expect.poll(() => other.changes).toEqual([[1]])
      await liveTable(database, 'things').create({ title: 'd' })
      await others.create({ title: 'e' })
      await expect.poll(() => other.changes).toEqual([[1], [2]])
      expect([first.changes, second.changes]).toEqual([[[id]], [[id], [id + 1]]])
      other.stop()
    })

    it('are announced again after the listening connection was lost, first as all rows', async () => {
      const store = liveTable(database, 'lost')
      await store.ready()
      const { changes, stop } = await watch(store, database.query)
      await loseConnection(database)
      await store.create({ title: 'while it was lost' })
      await expect.poll(() => changes).toContain(null)
      changes.length = 0
      await store.create({ title: 'after' })
      await expect.poll(() => changes).toContainEqual([2])
      stop()
    })

    it('are announced outside of the context of the call that made them', async () => {
      const context = new AsyncLocalStorage<string>()
      const store = liveTable(database, 'contexts')
      await store.ready()
      const seen: unknown[] = []
      const stop = store.watch(() => seen.push([context.getStore(), store.currentTransaction()]))
      await expect.poll(() => seen.length).toBeGreaterThan(0)
      await context.run('request', () => store.transaction(() => store.create({ title: 'a' })))
      await expect.poll(() => seen.length).toBeGreaterThan(1)
      expect(new Set(seen.map(String))).toEqual(new Set([',']))
      stop()
    })
  })
}

/** Ends the connection that listens. */
async function loseConnection({ kind, pool, query }: Database): Promise<void> {
  if (kind === 'pglite') return (await pool.connect()).release(true)
  await query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'sdk-live'`)
}

describe.skipIf(!hasPostgres())('the listener of a PostgreSQL database', () => {
  it('is one connection for all tables, which is closed with the last watcher', async () => {
    const database = openDatabase(await createDatabase())
    const count = async (): Promise<number> => {
      const [row] = await database.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity where datname = current_database() and application_name = 'sdk-live'`,
      )
      return row?.count ?? 0
    }
    const stores = ['a', 'b', 'c'].map((name) => liveTable(database, name))
    await Promise.all(stores.map((store) => store.ready()))
    expect(await count()).toBe(0)
    const watched = await Promise.all(stores.map((store) => watch(store, database.query)))
    expect(await count()).toBe(1)
    watched[0]?.stop()
    expect(await count()).toBe(1)
    await Promise.all(stores.map((store) => store.close()))
    await expect.poll(count).toBe(0)
    await database.close()
  })

  it('is closed with the database', async () => {
    const url = await createDatabase()
    const [database, other] = [openDatabase(url), openDatabase(url)]
    const store = liveTable(database, 'things')
    await store.ready()
    const { changes } = await watch(store, database.query)
    await database.close()
    const sql = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'sdk-live'`
    await expect.poll(() => other.query(sql)).toEqual([])
    await other.query(`insert into things (title) values ('a')`)
    expect(changes).toEqual([])
    await other.close()
  })
})
