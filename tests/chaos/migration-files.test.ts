import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, type Database } from '@sdk/database'
import { createDatabase, hasPostgres, temporaryFolder, type TemporaryFolder } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { beginVersion, startVersion } from './migrations/start-version.ts'
import { addRow, choose } from './mode.ts'

const ROWS = choose(200_000, 8_000)
const KILLS = choose(20, 2)
const PROCESSES = choose(6, 3)

const versions = { notes: { fields: { title: 'string', note: 'string?' } } } as const

/** Each step leaves a row in `done`, in its transaction if it has one. */
const FILE = `-- step 1: slow, so that it is killed
alter table notes add column extra text;
insert into done values (1);
select pg_sleep(0.3);
-- step 2
-- no transaction
create index concurrently if not exists by_title on notes (title);
-- step 3
-- in batches
update notes set extra = slow(title) where extra is null;
-- step 4
insert into done values (4);
`

/** Returns whether a process holds a lock for migrations, and whether all steps are applied. */
async function stateOf(database: Database): Promise<'idle' | 'working' | 'done'> {
  const [last] = await database.query(`select 1 from done where step = 4`)
  if (last !== undefined) return 'done'
  const isHere = `database = (select oid from pg_database where datname = current_database())`
  const locks = await database.query(`select 1 from pg_locks where locktype = 'advisory' and granted and ${isHere}`)
  return locks.length > 0 ? 'working' : 'idle'
}

describe.skipIf(!hasPostgres())('migration files of several processes', () => {
  let url: string
  let database: Database
  let folder: TemporaryFolder
  beforeEach(async () => {
    url = await createDatabase()
    database = openDatabase(url)
    folder = temporaryFolder('migrations')
    writeFileSync(join(folder.path, '0001-more.sql'), FILE)
    const first = await startVersion({ versions, url, folder: null })
    await expect.poll(async () => (await fetch(`${first.url}/readyz`)).status).toBe(200)
    await first.stop()
    await database.query(`insert into notes (title) select 'n' || n from generate_series(1, ${ROWS}) n`)
    await database.query('create table done (step int)')
    await database.query(`create function slow(text) returns text language plpgsql volatile as
      $$ begin if random() < 0.0005 then perform pg_sleep(0.02); end if; return $1; end $$`)
  })
  afterEach(async () => {
    await database.close()
    folder.remove()
  })

  const expectApplied = async (): Promise<void> => {
    expect(await database.query('select step from done order by 1')).toEqual([{ step: 1 }, { step: 4 }])
    expect(await database.query('select count(*) from notes where extra = title and version = 1')).toEqual([
      { count: ROWS },
    ])
    expect(await database.query(`select indisvalid from pg_index where indexrelid = 'by_title'::regclass`)).toEqual([
      { indisvalid: true },
    ])
    expect(await database.query('select step from sdk_migrations order by 1')).toEqual(
      [1, 2, 3, 4].map((step) => ({ step })),
    )
  }

  it(`are applied once by ${PROCESSES} that start at the same time`, async () => {
    const servers = await Promise.all(
      Array.from({ length: PROCESSES }, () => startVersion({ versions, url, folder: folder.path })),
    )
    await expectApplied()
    const applied = servers.flatMap((server) => server.output().match(/"message":"migration applied"/g) ?? [])
    expect(applied).toHaveLength(4)
    await Promise.all(servers.map((server) => server.kill()))
  })

  it(`are continued after up to ${KILLS} kills, and nothing is half done`, async () => {
    let kills = 0
    for (; kills < KILLS && (await stateOf(database)) !== 'done'; kills++) {
      const running = await beginVersion({ versions, url, folder: folder.path })
      // A killed process leaves its session lock until its statement ends.
      await expect.poll(async () => stateOf(database), { interval: 5 }).not.toBe('idle')
      await sleep(300 * Math.random())
      await running.kill()
      // The transaction of a killed process ends with its connection.
      const columns = `select 1 from pg_attribute where attrelid = 'notes'::regclass and attname = 'extra'`
      const isAdded = (await database.query(columns)).length === 1
      expect(await database.query('select step from done where step = 1')).toHaveLength(isAdded ? 1 : 0)
    }
    expect(kills).toBeGreaterThan(1)
    const last = await startVersion({ versions, url, folder: folder.path })
    await expectApplied()
    await last.kill()
    addRow({ name: 'migration file, killed', kills, rows: ROWS, 'half done': 0 })
  })
})
