import { createDatabase, hasPostgres } from '@sdk/test-kit'
import type { Store } from '@sdk/server'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgSchema, pgTable, serial, text, timestamp } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../index.ts'
import { SHAPE, watch } from '../live/live-table.test.fixture.ts'
import { ALL } from '../table/table.test.fixture.ts'
import { type DrizzleDatabase, drizzleTable, type DrizzleTable } from './drizzle-table.ts'
import { KINDS } from './import-drizzle.test.fixture.ts'

const columns = {
  title: text().notNull(),
  createdAt: timestamp({ withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp({ withTimezone: true }).notNull().defaultNow(),
}
const things = pgTable('things', { id: serial().primaryKey(), ...columns })
const odd = pgSchema('My "App"').table('odd, "things" 7', { id: integer('the "id"').primaryKey(), ...columns })

const COLUMNS = `title text not null, created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()`
const CREATE = `create table things (id serial primary key, ${COLUMNS})`
const CREATE_ODD = `create schema "My ""App"""; create table "My ""App"""."odd, ""things"" 7"
  ("the ""id""" integer primary key, ${COLUMNS})`

function liveStore(db: DrizzleDatabase, table: DrizzleTable): Required<Store> {
  return drizzleTable(db, table)(SHAPE) as Required<Store>
}

for (const { kind, isHere, open } of KINDS) {
  describe.skipIf(!isHere)(`a live drizzleTable on ${kind}`, () => {
    it('announces changes, also of a table with unusual names', async () => {
      const { db, query, close } = await open()
      await query(`${CREATE}; ${CREATE_ODD}`)
      const [plain, strange] = [liveStore(db, things), liveStore(db, odd)]
      await Promise.all([plain.ready(), strange.ready()])
      const [first, second] = await Promise.all([watch(plain, query), watch(strange, query)])
      await plain.create({ title: 'a' })
      await query(`insert into "My ""App"""."odd, ""things"" 7" values (8, 'b'), (9, 'c')`)
      await expect.poll(() => [first.changes, second.changes]).toEqual([[[1]], [[8, 9]]])
      first.stop()
      second.stop()
      await close()
    })

    it('records the tables of its reads', async () => {
      const { db, query, close } = await open()
      await query(CREATE)
      const store = liveStore(db, things)
      await store.ready()
      const { tables } = await store.recordTables(() => store.get({ id: 1, where: { title: 'a' } }))
      expect(tables).toEqual(['things'])
      await close()
    })
  })
}

describe('drizzleTable', () => {
  it('does not announce changes if the driver cannot listen for them', () => {
    const db = { execute: () => Promise.resolve(), transaction: () => Promise.reject(new Error('unused')) }
    expect(liveStore(db as unknown as DrizzleDatabase, things).watch).toBe(undefined)
  })

  it.skipIf(!hasPostgres())('shows the SQL for the triggers to a role that does not own the table', async () => {
    const url = await createDatabase()
    const owner = new pg.Pool({ connectionString: url })
    const role = `role_${crypto.randomUUID().replaceAll('-', '')}`
    await owner.query(`${CREATE}; create role ${role} login; grant select, insert on things to ${role};
      grant all on schema public to ${role}; grant usage on sequence things_id_seq to ${role}`)
    const guest = Object.assign(new URL(url), { username: role }).href
    const guests = openDatabase(guest)
    const store = liveStore(drizzle({ client: guests.pool, casing: 'snake_case' }), things)
    const error = await store.ready().catch((thrown: unknown) => thrown as Error)
    expect(error).toMatchObject({ message: expect.stringContaining('run this SQL as the owner') })
    await owner.query((error as Error).message.replace(/^.*\n/, ''))
    await store.ready()
    const { changes } = await watch(store, guests.query)
    await store.create({ title: 'a' })
    await expect.poll(() => changes).toEqual([[1]])
    expect((await store.list(ALL)).rows).toHaveLength(1)
    await guests.close()
    await owner.query(`drop owned by ${role}; drop role ${role}`)
    await owner.end()
  })
})
