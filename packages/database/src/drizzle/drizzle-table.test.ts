import { hasPostgres, startPostgres } from '@sdk/test-kit'
import { type Condition, createResource, type ResourceShape, type Store } from '@sdk/server'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, numeric, pgTable, serial, text, timestamp, uuid, varchar } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type DrizzleDatabase, drizzleTable } from './drizzle-table.ts'
import { KINDS, type Opened } from './import-drizzle.test.fixture.ts'
import { ALL } from '../table/table.test.fixture.ts'

const tasks = pgTable('tasks', {
  ...plainColumns(),
  title: varchar({ length: 5 }).notNull().unique(),
  version: integer().notNull(),
})

const plain = pgTable('plain', { ...plainColumns(), ownerId: text('ownerId').notNull() })

const CREATE = `create table tasks (id serial primary key, title varchar(5) not null unique,
    created_at timestamptz not null, updated_at timestamptz not null, version integer not null);
  create table plain (id serial primary key, title text not null, "ownerId" text not null,
    created_at timestamptz not null, updated_at timestamptz not null)`

const schema = z.object({ title: z.string() })

for (const { kind, isHere, open } of KINDS) {
  describe.skipIf(!isHere)(`drizzleTable on ${kind}`, () => {
    let opened: Opened
    let store: Required<Store>
    beforeAll(async () => {
      opened = await open()
      await opened.query(CREATE)
      store = storeOf(drizzleTable(opened.db, tasks), schema)
      await store.ready()
    })
    afterAll(() => opened.close())

    it('changes a row only in the given version', async () => {
      const row = await store.create({ title: 'one' })
      const target = { id: row.id, where: {}, version: row.version }
      const changed = await store.replace(target, { title: 'two' })
      expect(changed).toMatchObject({ title: 'two', version: 2, createdAt: row.createdAt })
      expect(String(changed?.updatedAt) > row.updatedAt).toBe(true)
      expect(await store.replace(target, { title: 'three' })).toBeNull()
      expect(await store.delete(target)).toBeNull()
      expect(await store.delete({ ...target, version: 2 })).toEqual(changed)
    })

    it('changes rows of several tables together or not at all, also in a table that is first used inside', async () => {
      const other = storeOf(drizzleTable(opened.db, plain), z.object({ title: z.string(), ownerId: z.string() }))
      const times = { createdAt: new Date(), updatedAt: new Date() }
      expect(store.currentTransaction()).toBeNull()
      const both = (last: () => unknown): Promise<unknown> =>
        store.transaction(async (query) => {
          expect(store.currentTransaction()).not.toBeNull()
          await Promise.all([store.create({ title: 'both' }), other.create({ title: 'both', ownerId: 'ada' })])
          const insert = 'insert into plain (title, "ownerId", created_at, updated_at) values ($1, $2, $3, $4)'
          await query(insert, ['sql', 'ada', times.createdAt.toISOString(), times.updatedAt.toISOString()])
          return last()
        })
      const count = async (): Promise<number> =>
        (await store.list(ALL)).rows.length + (await other.list(ALL)).rows.length
      await expect(both(() => Promise.reject(new Error('changed my mind')))).rejects.toThrow('changed my mind')
      const swallowed = (): Promise<unknown> => store.create({ title: 'both' }).catch(() => {})
      await expect(both(swallowed)).rejects.toThrow('rolled back because a statement failed')
      expect(await count()).toBe(0)
      const nested = (): Promise<unknown> => store.transaction(() => store.create({ title: 'both' })).catch(() => {})
      await both(nested)
      expect(await count()).toBe(3)
      await opened.query('truncate tasks, plain restart identity')
    })

    it('ends a transaction after its timeout', async () => {
      const endless = store.transaction(
        async () => {
          await store.create({ title: 'late' })
          await new Promise(() => {})
        },
        { timeout: 50, isolation: 'serializable' },
      )
      await expect(endless).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      expect((await store.list(ALL)).rows).toEqual([])
    })

    it('names the field with a duplicate or invalid value', async () => {
      const row = await store.create({ title: 'one' })
      await expect(store.create({ title: 'one' })).rejects.toMatchObject({
        code: 'CONFLICT',
        message: 'title is taken',
        details: [{ code: 'NOT_UNIQUE', source: 'body', pointer: '/title' }],
      })
      await expect(store.create({ title: 'too long' })).rejects.toMatchObject({ code: 'INVALID_REQUEST', status: 400 })
      await expect(store.create({ title: null })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        details: [{ code: 'INVALID_VALUE', source: 'body', pointer: '/title' }],
      })
      await store.delete({ id: row.id, where: {} })
    })

    it('filters by the values that rows show, even if the columns are more precise', async () => {
      const finer = pgTable('finer', { ...plainColumns(), due: timestamp({ withTimezone: true }), price: numeric() })
      await opened.query(`create table finer (id serial primary key, title text not null, due timestamptz, price numeric,
        created_at timestamptz not null default now(), updated_at timestamptz not null default now());
        insert into finer (title, due, price) values
          ('a', '2024-01-01T00:00:00.122999Z', 0.1), ('b', '2024-01-01T00:00:00.123456Z', 0.1234567890123456789),
          ('c', '2024-01-01T00:00:00.124Z', 0.2), ('d', null, null)`)
      const fields = z.object({ title: z.string(), due: z.iso.datetime().nullable(), price: z.number().nullable() })
      const fine = storeOf(drizzleTable(opened.db, finer), fields)
      const [, row] = (await fine.list(ALL)).rows
      const found = async (field: string, operator: Condition['operator']) => {
        const value = operator === 'in' ? [row?.[field]] : row?.[field]
        const { rows } = await fine.list({ ...ALL, conditions: [{ field, operator, value } as Condition] })
        return rows.map(({ title }) => title).join('')
      }
      const expected = { eq: 'b', in: 'b', ne: 'acd', gt: 'c', gte: 'bc', lt: 'a', lte: 'ab' } as const
      for (const [operator, titles] of Object.entries(expected)) {
        expect([operator, await found('due', operator as Condition['operator'])]).toEqual([operator, titles])
        expect([operator, await found('price', operator as Condition['operator'])]).toEqual([operator, titles])
      }
      for (const field of ['due', 'price']) {
        for (const value of [true, false]) {
          const { rows } = await fine.list({ ...ALL, conditions: [{ field, operator: 'null', value }] })
          expect(rows.map(({ title }) => title).join('')).toBe(value ? 'd' : 'abc')
        }
        const where = { [field]: row?.[field] as string }
        expect(await fine.get({ id: 2, where })).toEqual(row)
        expect(await fine.get({ id: 1, where })).toBeNull()
      }
    })

    it('continues after a cursor whose row was deleted, within rows of the same time', async () => {
      const burst = pgTable('burst', { ...plainColumns(), due: timestamp({ withTimezone: true }), price: numeric() })
      const fields = z.object({ title: z.string(), due: z.iso.datetime().nullable(), price: z.number().nullable() })
      const made = storeOf(drizzleTable(opened.db, burst), fields)
      await opened.query(`create table burst (id serial primary key, title text not null, due timestamptz, price numeric,
        created_at timestamptz not null default now(), updated_at timestamptz not null default now())`)
      for (const field of ['due', 'price'])
        for (const isDescending of [false, true]) {
          // Rows of one millisecond, of which the last two differ by a microsecond.
          await opened.query(`truncate burst restart identity; insert into burst (title, due, price)
            select n, '2024-01-01T00:00:00.123456Z'::timestamptz + n / 8 * interval '1 microsecond',
              0.1234567890123456789 + n / 8 * 0.0000000000000000001 from generate_series(1, 9) n`)
          const sort = [field, 'id'].map((key) => ({ field: key, isDescending }))
          const { rows } = await made.list({ ...ALL, sort, limit: 4 })
          const last = rows.at(-1)
          const after = [last?.[field] as string, Number(last?.id)]
          await opened.query(`delete from burst where id = ${last?.id}`)
          const rest = await made.list({ ...ALL, sort, after })
          const seen = [...rows, ...rest.rows].map(({ id }) => id)
          const all = [1, 2, 3, 4, 5, 6, 7, 8, 9]
          expect([field, seen]).toEqual([field, isDescending ? all.toReversed() : all])
        }
    })

    it('distinguishes versions without a version column', async () => {
      const bare = storeOf(drizzleTable(opened.db, plain), schema)
      const row = await bare.create({ title: 'one', ownerId: 'ann' })
      expect(row).toEqual({
        id: 1,
        title: 'one',
        createdAt: row.createdAt,
        updatedAt: row.updatedAt,
        version: expect.any(String),
      })
      const changed = await bare.replace({ id: 1, where: { ownerId: 'ann' }, version: row.version }, { title: 'two' })
      expect(changed?.version).not.toBe(row.version)
      expect(await bare.replace({ id: 1, where: {}, version: row.version }, { title: 'three' })).toBeNull()
      expect(await bare.delete({ id: 1, where: {}, version: changed?.version ?? '' })).toEqual(changed)
    })

    it('runs work once, in one transaction with its result', async () => {
      const key = { key: 'k', print: 'p', seconds: 60 }
      const work = async (inner: Store): Promise<string> => JSON.stringify(await inner.create?.({ title: 'once' }))
      const first = await store.once(key, work)
      expect(first).toMatchObject({ isNew: true, print: 'p' })
      expect(await store.once(key, work)).toEqual({ ...first, isNew: false })
      const failing = store.once({ ...key, key: 'other' }, async (inner) => {
        await inner.create?.({ title: 'gone' })
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      await expect(store.once({ ...key, key: 'third' }, work)).rejects.toMatchObject({ code: 'CONFLICT' })
      const { rows, total } = await store.list({ ...ALL, isCounted: true })
      expect(rows.map((row) => row['title'])).toEqual(['once'])
      expect(total).toBe(1)
    })

    it('reports a missing table or column until the database has it', async () => {
      const late = pgTable('late', plainColumns())
      const lateStore = storeOf(drizzleTable(opened.db, late), schema)
      await expect(lateStore.ready()).rejects.toThrow(/"late".*run your migrations/)
      await opened.query('create table late (id serial primary key, created_at timestamptz, updated_at timestamptz)')
      const cause = expect.objectContaining({ message: expect.stringMatching(/"late".*run your migrations/) as string })
      await expect(lateStore.list(ALL)).rejects.toMatchObject({ status: 503, cause: cause as Error })
      await opened.query('alter table late add title text not null')
      await lateStore.ready()
      expect(await lateStore.list(ALL)).toEqual({ rows: [] })
    })

    it('lists all differences between a table and its resource', async () => {
      const wrong = pgTable('wrong', {
        id: uuid().primaryKey(),
        createdAt: timestamp().notNull(),
        updatedAt: text().notNull(),
        notes: text().notNull(),
        tags: text().array(),
      })
      const fields = z.object({ title: z.string(), notes: z.string().nullable(), tags: z.array(z.string()) })
      const message =
        'resource "tasks" does not match the Drizzle table "wrong": id is uuid, which cannot store the type integer; ' +
        'updatedAt is text, which cannot store the type timestamp; the table has no column for title (string); ' +
        'notes is nullable, but its column is NOT NULL; tags is text[], which cannot store the type json'
      await expect(storeOf(drizzleTable(opened.db, wrong), fields).ready()).rejects.toThrow(new TypeError(message))
    })
  })
}

describe('drizzleTable', () => {
  it('throws if db is not a Drizzle database', () => {
    expect(() => drizzleTable({} as DrizzleDatabase, plain)).toThrow(TypeError)
  })

  it.skipIf(!hasPostgres())('rejects with SERVICE_UNAVAILABLE while the database is down', async () => {
    const server = await startPostgres()
    const pool = new pg.Pool({ connectionString: server.url })
    pool.on('error', () => {})
    try {
      await pool.query(CREATE)
      const store = storeOf(drizzleTable(drizzle({ client: pool, casing: 'snake_case' }), plain), schema)
      await store.ready()
      await server.kill()
      const unavailable = { code: 'SERVICE_UNAVAILABLE', status: 503, retryAfter: 1 }
      await expect(store.list(ALL)).rejects.toMatchObject(unavailable)
      await expect(store.once({ key: 'k', print: 'p', seconds: 1 }, async () => '')).rejects.toMatchObject(unavailable)
    } finally {
      await pool.end()
      await server.stop()
    }
  })
})

function plainColumns() {
  return {
    id: serial().primaryKey(),
    title: text().notNull(),
    createdAt: timestamp({ withTimezone: true }).notNull(),
    updatedAt: timestamp({ withTimezone: true }).notNull(),
  }
}

function storeOf(store: (shape: ResourceShape) => Store, fields: z.ZodObject): Required<Store> {
  return createResource('tasks', { schema: fields, access: 'public', store }).store as Required<Store>
}
