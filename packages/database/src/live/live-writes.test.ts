import { hasPostgres, type Postgres, startPostgres } from '@sdk/test-kit'
import type { Store } from '@sdk/server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Database, openDatabase } from '../index.ts'
import { ALL } from '../table/table.test.fixture.ts'
import { liveTable, watch } from './live-table.test.fixture.ts'

const WRITERS = 16

describe.skipIf(!hasPostgres())('concurrent writes of a live table', () => {
  let postgres: Postgres
  let database: Database
  let things: Required<Store>
  beforeAll(async () => {
    // Otherwise, PostgreSQL soon writes to disk what no transaction waits for.
    postgres = await startPostgres({ settings: ['wal_writer_delay=10s', 'wal_writer_flush_after=1GB'] })
    database = openDatabase(await postgres.createDatabase())
    things = liveTable(database, 'things')
    await things.ready()
    await recordSettings(database, 'things')
  })
  afterAll(async () => {
    await things.close()
    await database.close()
    await postgres.stop()
  })
  const createMany = (): Promise<{ id: number }[]> =>
    Promise.all(Array.from({ length: WRITERS }, (_, n) => things.create({ title: `${n}` })))

  it('announce every row, and return rows without further values', async () => {
    const announced = await watch(things, database.query)
    const rows = await createMany()
    const ids = rows.map(({ id }) => id)
    await expect.poll(() => announced.changes.length).toBe(WRITERS)
    expect(new Set(announced.changes.flat())).toEqual(new Set(ids))
    expect((await things.list(ALL)).rows).toEqual(expect.arrayContaining(rows))
    const replaced = await Promise.all(ids.map((id) => things.replace({ id, where: {} }, { title: 'b' })))
    const deleted = await Promise.all(ids.map((id) => things.delete({ id, where: {} })))
    expect(replaced.map((row) => row?.['title'])).toEqual(ids.map(() => 'b'))
    expect(deleted).toEqual(replaced)
    announced.stop()
  })

  it('wait for the disk together, but not two writes, or those in a transaction', async () => {
    const many = await settingsOf(database, createMany)
    expect(many.filter((setting) => setting === 'off')).toHaveLength(WRITERS - 2)
    const two = (): Promise<unknown> => Promise.all(['a', 'b'].map((title) => things.create({ title })))
    expect(await settingsOf(database, two)).toEqual(['on', 'on'])
    const inTransaction = (): Promise<unknown> => things.transaction(() => createMany())
    expect(new Set(await settingsOf(database, inTransaction))).toEqual(new Set(['on']))
    expect(await database.query(`select current_setting('synchronous_commit') as now`)).toEqual([{ now: 'on' }])
  })

  it('report an error of each statement', async () => {
    await database.query('alter table things add check (title <> $$bad$$)')
    const writes = ['a', 'bad', 'b', 'bad'].map((title) => things.create({ title }))
    const results = await Promise.allSettled(writes)
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
    const none = await Promise.all([1, 2].map(() => things.delete({ id: 999_999, where: {} })))
    expect(none).toEqual([null, null])
  })

  it('keep all rows that were acknowledged when PostgreSQL is killed', async () => {
    const acknowledged: number[] = []
    const write = async (): Promise<void> => {
      for (;;) acknowledged.push((await things.create({ title: 'kept' })).id)
    }
    const writers = Promise.allSettled(Array.from({ length: WRITERS }, write))
    await expect.poll(() => acknowledged.length).toBeGreaterThan(100)
    await postgres.kill()
    await writers
    await postgres.start()
    // A connection that was idle may be found broken only when it is used.
    const read = (): Promise<{ id: number }[]> => database.query('select id from things')
    const rows = await vi.waitFor(read, { timeout: 60_000 })
    const kept = new Set(rows.map(({ id }) => id))
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
  })

  it('commit one after another if the role may not call the function that they need', async () => {
    const url = new URL(await postgres.createDatabase())
    const owner = openDatabase(url.href)
    await owner.query('revoke execute on function pg_logical_emit_message(boolean, text, text, boolean) from public')
    await owner.query('create role writer login')
    await owner.query('grant all on schema public to writer')
    url.username = 'writer'
    const limited = openDatabase(url.href)
    const others = liveTable(limited, 'things')
    await others.ready()
    await recordSettings(owner, 'things')
    await owner.query('grant all on seen, seen_n_seq to writer')
    const many = (): Promise<unknown> => Promise.all(['a', 'b', 'c'].map((title) => others.create({ title })))
    expect(await settingsOf(owner, many)).toEqual(['on', 'on', 'on'])
    await others.close()
    await limited.close()
    await owner.close()
  })
})

/** Records the `synchronous_commit` of each transaction that changes rows of a table. */
async function recordSettings({ query }: Database, table: string): Promise<void> {
  await query('create table seen (n bigserial, setting text)')
  await query(`create function see() returns trigger language plpgsql as
    $$ begin insert into seen (setting) values (current_setting('synchronous_commit')); return null; end $$`)
  await query(`create constraint trigger see after insert or update or delete on ${table}
    deferrable initially deferred for each row execute function see()`)
}

/** Returns the settings of the transactions in `work`, in order. */
async function settingsOf({ query }: Database, work: () => Promise<unknown>): Promise<unknown[]> {
  await query('truncate seen')
  await work()
  return (await query('select setting from seen order by n')).map(({ setting }) => setting)
}
