import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '@sdk/server'
import { createDatabase, DATABASE_KINDS, emptyDatabase, hasPostgres, temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase, postgresRuns } from '../index.ts'
import { rowsOf, storeOf } from '../table/table.test.fixture.ts'
import { applyFiles, applyMigrations } from './apply-migrations.ts'
import { parseMigration } from './migration-file.ts'

/** Locks of the database of this test. All tests share one server. */
const IS_HERE = `database = (select oid from pg_database where datname = current_database())`

const silent = createLog({ write: () => {} })

const apply = (database: Database, ...texts: string[]): Promise<void> =>
  applyFiles(
    database,
    texts.map((text, index) => parseMigration(`000${index + 1}-a.sql`, text)),
    silent,
  )

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`migration files on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())
    beforeEach(async () => {
      await database.query('drop table if exists notes, sdk_migrations')
      await database.query('create table notes (id bigint primary key, text text, copy text, version int default 1)')
      await database.query(`insert into notes select n, 'x' || n % 2500 from generate_series(1, 2600) n`)
    })

    const count = async (condition: string): Promise<unknown> =>
      (await database.query(`select count(*) as count from notes where ${condition}`))[0]?.['count']

    it('are applied in order, once', async () => {
      const files = [
        'alter table notes add a int;',
        '-- step\nalter table notes add b int;\n-- step\ninsert into notes (id) values (0)',
      ]
      await apply(database, ...files)
      await apply(database, ...files)
      await apply(database, ...files, 'insert into notes (id, a, b) values (-1, 1, 2)')
      expect(await count('id < 1')).toBe(2)
      expect(await database.query('select file, step from sdk_migrations order by 1, 2')).toEqual([
        { file: '0001-a.sql', step: 1 },
        { file: '0002-a.sql', step: 1 },
        { file: '0002-a.sql', step: 2 },
        { file: '0003-a.sql', step: 1 },
      ])
    })

    it('update rows in batches, without a new version', async () => {
      await apply(database, '-- in batches\nupdate notes set copy = text where copy is null -- all\n;')
      expect(await count('copy = text and version = 1')).toBe(2600)
    })

    it('leave nothing of a step that fails, and continue with it', async () => {
      const good = '-- step\nalter table notes add a int;'
      const bad = `${good}\n-- step\ninsert into notes (id) values (0); insert into notes (id) values (1);`
      await expect(apply(database, bad)).rejects.toThrow(
        /migrations\/0001-a.sql, step 2: duplicate key.*; correct this step/,
      )
      expect(await count('id = 0')).toBe(0)
      await apply(database, `${good}\n-- step\ninsert into notes (id) values (0);`)
      expect(await count('id = 0')).toBe(1)
    })

    it('record a step together with its changes, or neither', async () => {
      await apply(database, 'select 1')
      await database.query(`create or replace function fail() returns trigger language plpgsql as
        $$ begin raise exception 'not recorded'; end $$`)
      await database.query('create trigger fail before insert on sdk_migrations execute function fail()')
      await expect(apply(database, 'select 1', 'insert into notes (id) values (0)')).rejects.toThrow('not recorded')
      expect(await count('id = 0')).toBe(0)
    })

    it('drop the invalid index of a failed attempt first', async () => {
      const text = '-- no transaction\ncreate unique index concurrently if not exists by_text on notes (text);'
      await expect(apply(database, text)).rejects.toThrow('could not create unique index')
      await database.query('delete from notes where id > 2500')
      await apply(database, text)
      expect(await database.query(`select indisvalid from pg_index where indexrelid = 'by_text'::regclass`)).toEqual([
        { indisvalid: true },
      ])
    })

    it('skip a table that its schema creates later', async () => {
      await apply(database, '-- only if the table later exists\nalter table later add a int;')
      expect(await count('true')).toBe(2600)
      await expect(apply(database, 'alter table later add a int;')).rejects.toThrow('was edited')
    })

    it('leave no setting or lock on the connections of the app', async () => {
      await apply(database, 'select 1')
      expect(await database.query('show lock_timeout')).toEqual([{ lock_timeout: '0' }])
      expect(await database.query(`select 1 from pg_locks where locktype = 'advisory' and ${IS_HERE}`)).toEqual([])
    })
  })
}

describe('migration files that cannot be applied', () => {
  it('cause a 503 for tables and runs, with the reason only in its cause', async () => {
    vi.stubEnv('DATABASE_URL', await emptyDatabase())
    const folder = temporaryFolder('migrations')
    const file = join(folder.path, '0001-a.sql')
    writeFileSync(file, 'select nonsense')
    const cause = expect.objectContaining({ message: expect.stringContaining('0001-a.sql, step 1') }) as Error
    await expect(applyMigrations(folder.path, silent)).rejects.toThrow('correct this step')
    const database = openDatabase('pglite://memory')
    const [notes, runs] = [storeOf(database, 'notes', { fields: { text: z.string() } }), postgresRuns({ database })]
    const message = 'the database is not ready for this version of the app'
    for (const request of [rowsOf(notes), runs.now()])
      await expect(request).rejects.toMatchObject({ status: 503, retryAfter: 10, message, cause })
    rmSync(file)
    await applyMigrations(folder.path, silent)
    expect(await rowsOf(notes)).toEqual([])
    await database.close()
    folder.remove()
    vi.unstubAllEnvs()
  })
})

describe.skipIf(!hasPostgres())('migration files of several processes', () => {
  it('wait for a locked table without blocking others for long', async () => {
    const one = openDatabase(await createDatabase())
    await one.query('create table notes (id bigint primary key)')
    let applying: Promise<void> | undefined
    await one['~transaction'](async (transaction) => {
      await transaction.query('lock table notes in access exclusive mode')
      applying = apply(one, 'alter table notes add a int')
      // Ends when the first attempt has given up its lock.
      await expect
        .poll(async () => (await one.query(`select 1 from pg_locks where not granted and ${IS_HERE}`)).length, {
          timeout: 10_000,
        })
        .toBe(1)
      await expect
        .poll(async () => (await one.query(`select 1 from pg_locks where not granted and ${IS_HERE}`)).length, {
          timeout: 10_000,
        })
        .toBe(0)
    })
    await applying
    expect(await one.query('select a from notes')).toEqual([])
    await one.close()
  })

  it('are applied once by six at the same time, also indexes and backfills', async () => {
    const url = await createDatabase()
    const databases = Array.from({ length: 6 }, () => openDatabase(url))
    const [first] = databases
    await first?.query('create table notes (id bigint primary key, text text, copy text)')
    await first?.query(`insert into notes select n, 'x' || n from generate_series(1, 20000) n`)
    await first?.query('create table log (n int)')
    const text = `-- step
insert into log values (1);
-- step
-- no transaction
create index concurrently by_text on notes (text);
-- step
-- in batches
update notes set copy = text where copy is null;
-- step
insert into log values (2);`
    await Promise.all(databases.map((database) => apply(database, text)))
    expect(await first?.query('select n from log order by n')).toEqual([{ n: 1 }, { n: 2 }])
    expect(await first?.query('select count(*) from notes where copy = text')).toEqual([{ count: 20_000 }])
    await Promise.all(databases.map((database) => database.close()))
  })
})
