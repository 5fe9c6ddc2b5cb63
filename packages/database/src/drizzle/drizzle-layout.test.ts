import { createResource, type ListQuery, type ResourceShape, type Store } from '@sdk/server'
import {
  bigint,
  bigserial,
  boolean,
  date,
  doublePrecision,
  integer,
  json,
  jsonb,
  numeric,
  pgEnum,
  pgSchema,
  real,
  smallint,
  text,
  timestamp,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { drizzleTable } from './drizzle-table.ts'
import { KINDS, type Opened } from './import-drizzle.test.fixture.ts'
import { ALL } from '../table/table.test.fixture.ts'

const own = pgSchema('own')
const mood = pgEnum('mood', ['sad', 'Happy days'])
const grade = own.enum('Grade', ['b', 'a'])

const tasks = own.table('My tasks', {
  id: bigserial({ mode: 'bigint' }).primaryKey(),
  title: varchar({ length: 5 }).notNull().unique(),
  notes: text(),
  mood: mood().notNull().default('sad'),
  grade: grade(),
  token: uuid(),
  small: smallint(),
  count: integer(),
  big: bigint({ mode: 'number' }),
  price: numeric({ precision: 10, scale: 2 }),
  exact: numeric(),
  ratio: real(),
  weight: doublePrecision(),
  isDone: boolean().notNull().default(false),
  dueDate: date({ mode: 'date' }),
  seenAt: timestamp(),
  doneAt: timestamp({ withTimezone: true, mode: 'string' }),
  tags: jsonb(),
  extra: json(),
  owner_id: text('ownerId'),
  hidden: text().array(),
  createdAt: timestamp({ withTimezone: true }).notNull(),
  updatedAt: timestamp({ precision: 3 }).notNull(),
  version: integer().notNull(),
})

const CREATE = `create schema own; create type mood as enum ('sad', 'Happy days');
  create type own."Grade" as enum ('b', 'a');
  create table own."My tasks" (id bigserial primary key, title varchar(5) not null unique, notes text,
    mood mood not null default 'sad', grade own."Grade", token uuid, small smallint, count integer, big bigint,
    price numeric(10, 2), exact numeric, ratio real, weight double precision, is_done boolean not null default false,
    due_date date, seen_at timestamp, done_at timestamptz, tags jsonb, extra json, "ownerId" text, hidden text[],
    created_at timestamptz not null, updated_at timestamp(3) not null, version integer not null)`

const VALUES = {
  title: 'one',
  notes: null,
  mood: 'Happy days',
  grade: 'a',
  token: '0b7c6a0e-5d3f-4a8e-9a51-0d6a3f1f2b4c',
  small: -3,
  count: 2_147_483_647,
  big: Number.MAX_SAFE_INTEGER,
  price: 12.34,
  exact: 0.1,
  ratio: 0.1,
  weight: 5e-324,
  isDone: true,
  dueDate: '0001-02-03',
  seenAt: '2026-07-08T09:10:11.120Z',
  doneAt: '9999-12-31T23:59:59.999Z',
  tags: ['a', { b: null }],
  extra: 'just a "text"',
}

const schema = z.object({
  title: z.string().max(100),
  notes: z.string().nullable(),
  mood: z.enum(['sad', 'Happy days']),
  grade: z.enum(['b', 'a']).nullable(),
  token: z.uuid().nullable(),
  small: z.int().nullable(),
  count: z.int().nullable(),
  big: z.int().nullable(),
  price: z.number().nullable(),
  exact: z.number().nullable(),
  ratio: z.number().nullable(),
  weight: z.number().nullable(),
  isDone: z.boolean(),
  dueDate: z.iso.date().nullable(),
  seenAt: z.iso.datetime().nullable(),
  doneAt: z.iso.datetime().nullable(),
  tags: z.json(),
  extra: z.json(),
})

for (const { kind, isHere, open } of KINDS) {
  describe.skipIf(!isHere)(`a Drizzle table with all types of columns on ${kind}`, () => {
    let opened: Opened
    let store: Required<Store>
    beforeAll(async () => {
      opened = await open()
      await opened.query(CREATE)
      store = storeOf(drizzleTable(opened.db, tasks), schema)
      await store.ready()
    })
    afterAll(() => opened.close())

    it('stores every type exactly and returns it in the format of the API', async () => {
      const row = await store.create({ ...VALUES, owner_id: 'ann' })
      expect(row).toEqual({
        ...VALUES,
        id: expect.any(Number),
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: row.createdAt,
        version: 1,
      })
      expect(Math.abs(Date.parse(row.createdAt) - Date.now())).toBeLessThan(60_000)
      expect(await store.get({ id: row.id, where: { owner_id: 'ann' } })).toEqual(row)
      expect(await store.get({ id: row.id, where: { owner_id: 'bob' } })).toBeNull()
      await store.delete({ id: row.id, where: {} })
    })

    it.each(Object.keys(VALUES).filter((field) => !['notes', 'tags', 'extra'].includes(field)))(
      'filters and sorts by %s',
      async (field) => {
        const value = VALUES[field as keyof typeof VALUES] as string
        const one = await store.create(VALUES)
        const other = await store.create({ title: 'other', isDone: false, mood: 'sad' })
        const list = async (query: Partial<ListQuery>) => (await store.list({ ...ALL, ...query })).rows
        expect(await list({ conditions: [{ field, operator: 'eq', value }] })).toEqual([one])
        expect(await list({ conditions: [{ field, operator: 'in', value: [value] }] })).toEqual([one])
        expect(await list({ conditions: [{ field, operator: 'ne', value }] })).toEqual([other])
        expect(await list({ where: { [field]: [value] } })).toEqual([one])
        const sort = [field, 'id'].map((key) => ({ field: key, isDescending: true }))
        const [first, second] = await list({ sort })
        const after = [first?.[field] as string, first?.id ?? 0]
        expect(await list({ sort, after })).toEqual([second])
        await store.delete({ id: one.id, where: {} })
        await store.delete({ id: other.id, where: {} })
      },
    )

    it('compares a column with numbers that it cannot store', async () => {
      const row = await store.create({ title: 'small', small: 1 })
      const conditions = [{ field: 'small', operator: 'lt', value: 1e12 } as const]
      expect((await store.list({ ...ALL, conditions })).rows).toEqual([row])
      await store.delete({ id: row.id, where: {} })
    })

    it('pages through rows that differ by less than they show', async () => {
      await opened.query(`insert into own."My tasks" (title, exact, created_at, updated_at, version)
        select 'w' || n, 0.12345678901234567 + n * 1e-19, '2020-01-01 00:00:00.0005Z'::timestamptz + n * interval '7 us',
          '2020-01-01', 1
        from generate_series(1, 20) n`)
      const expected = Array.from({ length: 20 }, (_, index) => `w${index + 1}`)
      for (const field of ['createdAt', 'exact']) {
        expect(await walk([field, 'id'].map((key) => ({ field: key, isDescending: false })))).toEqual(expected)
        const back = [field, 'id'].map((key) => ({ field: key, isDescending: true }))
        expect(await walk(back)).toEqual(expected.toReversed())
      }
    })

    async function walk(sort: ListQuery['sort']): Promise<unknown[]> {
      const titles: unknown[] = []
      let after: ListQuery['after'] = null
      for (;;) {
        const { rows } = await store.list({ ...ALL, limit: 3, sort, after })
        const last = rows.at(-1)
        if (last === undefined) return titles
        titles.push(...rows.map((row) => row['title']))
        after = sort.map(({ field }) => last[field] as string)
      }
    }
  })
}

function storeOf(store: (shape: ResourceShape) => Store, fields: z.ZodObject): Required<Store> {
  return createResource('tasks', { schema: fields, access: 'public', store }).store as Required<Store>
}
