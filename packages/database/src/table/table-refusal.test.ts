import { ONE_KIND } from '@sdk/test-kit'
import type { FieldType } from '@sdk/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase } from '../index.ts'
import { rowsOf, storeOf, type Version } from './table.test.fixture.ts'

/** All that the catalogue says of a table. */
async function lookAt(database: Database, name: string): Promise<unknown> {
  const columns = await database.query(
    `select attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid) from pg_attribute
     left join pg_attrdef on adrelid = attrelid and adnum = attnum
     where attrelid = to_regclass($1) and attnum > 0 order by attnum`,
    [name],
  )
  return {
    columns,
    indexes: await database.query('select indexdef from pg_indexes where tablename = $1 order by 1', [name]),
  }
}

const title = z.string().max(100)
const BASE: Version = { fields: { title } }

for (const { kind, isHere, open } of ONE_KIND) {
  describe.skipIf(!isHere)(`an unsafe migration on ${kind}`, () => {
    let database: Database
    let count = 0
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    /** A table of one version with rows in it. */
    async function begin(version: Version, rows: readonly Record<string, unknown>[] = []): Promise<string> {
      count += 1
      const name = `things_${count}`
      const store = storeOf(database, name, version)
      await store.ready()
      for (const row of rows) await store.create(row)
      return name
    }

    async function refusalOf(name: string, version: Version): Promise<Error> {
      const before = await lookAt(database, name)
      const error: unknown = await storeOf(database, name, version)
        .ready()
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(Error)
      expect(await lookAt(database, name)).toEqual(before)
      return error as Error
    }

    /** Runs what the message of a refusal says, as a person would. */
    async function runSqlOf({ message }: Error): Promise<void> {
      const sql = message.split('\n').filter((line) => line.startsWith('  '))
      expect(sql.length).toBeGreaterThan(0)
      for (const statement of sql) await database.query(statement)
    }

    const two = [{ title: 'a' }, { title: 'a' }]
    const noted = { title, note: title.nullable() }
    const REFUSED: {
      what: string
      from: Version
      rows: Record<string, unknown>[]
      to: Version
      says: string
      rowsThen: object[]
    }[] = [
      {
        what: 'a field without a default in a table with rows',
        from: BASE,
        rows: two,
        to: { fields: { title, isDone: z.boolean() } },
        says: 'isDone was added',
        rowsThen: [{ isDone: false }, { isDone: false }],
      },
      {
        what: 'a unique field without a default in a table with rows',
        from: BASE,
        rows: two,
        to: { fields: { title, code: title }, unique: ['code'] },
        says: 'code was added',
        rowsThen: [{ code: '1' }, { code: '2' }],
      },
      {
        what: 'a unique field with the same default for all rows',
        from: BASE,
        rows: two,
        to: { fields: { title, code: z.int().default(0) }, unique: ['code'] },
        says: 'would get its default',
        rowsThen: [{ code: 1 }, { code: 2 }],
      },
      {
        what: 'a required field that is null in some rows',
        from: { fields: noted },
        rows: [
          { title: 'a', note: null },
          { title: 'b', note: 'x' },
        ],
        to: { fields: { title, note: title.default(`it's`) } },
        says: 'note is now required',
        rowsThen: [{ note: `it's` }, { note: 'x' }],
      },
      {
        what: 'a removed field with a required column',
        from: { fields: { title, size: z.int() } },
        rows: [{ title: 'a', size: 1 }],
        to: BASE,
        says: 'size was removed',
        rowsThen: [{ title: 'a' }],
      },
      {
        what: 'a unique field with duplicate values',
        from: BASE,
        rows: [...two, { title: 'b' }],
        to: { ...BASE, unique: ['title'] },
        says: 'title must now be unique',
        rowsThen: [
          { id: 1, title: 'a' },
          { id: 3, title: 'b' },
        ],
      },
      {
        what: 'a nullable unique field with duplicate values',
        from: { fields: { note: title.nullable() } },
        rows: [{ note: 'x' }, { note: 'x' }, { note: null }],
        to: { fields: { note: title.nullable() }, unique: ['note'] },
        says: 'note must now be unique',
        rowsThen: [{ note: 'x' }, { note: null }, { note: null }],
      },
      {
        what: 'a unique pair with duplicate values',
        from: { fields: { title, size: z.int() } },
        rows: [
          { title: 'a', size: 1 },
          { title: 'a', size: 2 },
          { title: 'a', size: 1 },
          { title: 'b', size: 1 },
        ],
        to: { fields: { title, size: z.int() }, unique: [['title', 'size']] },
        says: 'must now be unique: some rows have the same values; this SQL deletes all',
        rowsThen: [{ id: 1 }, { id: 2 }, { id: 4 }],
      },
      {
        what: 'a unique pair with a nullable field',
        from: { fields: noted },
        rows: [
          { title: 'a', note: 'x' },
          { title: 'a', note: 'x' },
          { title: 'a', note: null },
        ],
        to: { fields: noted, unique: [['title', 'note']] },
        says: 'sets note to null in all',
        rowsThen: [{ note: 'x' }, { note: null }, { note: null }],
      },
      {
        what: 'a unique pair with the same default for one field',
        from: BASE,
        rows: [...two, { title: 'b' }],
        to: { fields: { title, size: z.int().default(0) }, unique: [['title', 'size']] },
        says: 'the combination of title and size must now be unique',
        rowsThen: [
          { id: 1, size: 0 },
          { id: 3, size: 0 },
        ],
      },
      {
        what: 'a unique pair with the same defaults for both fields',
        from: BASE,
        rows: two,
        to: { fields: { title, one: z.int().default(0), two: z.int().default(0) }, unique: [['one', 'two']] },
        says: 'one was added',
        rowsThen: [
          { one: 1, two: 0 },
          { one: 2, two: 0 },
        ],
      },
      {
        what: 'a unique pair with an assigned field',
        from: BASE,
        rows: two.map((row) => ({ ...row, ownerId: 'ada' })),
        to: { ...BASE, unique: [['ownerId', 'title']] },
        says: 'the combination of ownerId and title must now be unique',
        rowsThen: [{ id: 1 }, { id: 2 }],
      },
      {
        what: 'a renamed field',
        from: { fields: { title, size: z.int() } },
        rows: [
          { title: 'a', size: 1 },
          { title: 'b', size: 2 },
        ],
        to: { fields: { name: title, size: z.int() } },
        says: 'this SQL copies the values of title, in case you renamed that field',
        rowsThen: [{ name: 'a' }, { name: 'b' }],
      },
      {
        what: 'two renamed fields of the same type',
        from: { fields: { title, note: title } },
        rows: [{ title: 'a', note: 'b' }],
        to: { fields: { name: title, text: title } },
        says: 'replace its values as needed',
        rowsThen: [{ name: '', text: '' }],
      },
      {
        what: 'several changes',
        from: { fields: { title, size: z.int() } },
        rows: [{ title: '7', size: 1 }],
        to: { fields: { title: z.int(), code: title } },
        says: 'title has a different type',
        rowsThen: [{ title: 7, code: '' }],
      },
    ]

    it.each(REFUSED)('is rejected with SQL that completes it: $what', async ({ from, rows, to, says, rowsThen }) => {
      const name = await begin(from, rows)
      const refusal = await refusalOf(name, to)
      expect(refusal.message).toContain(`The table ${name} `)
      expect(refusal.message).toContain(says)
      await runSqlOf(refusal)
      const store = storeOf(database, name, to)
      expect(await rowsOf(store)).toMatchObject(rowsThen)
      await store.ready()
    })

    it('rejects calls with a 503 that has the SQL only in its cause', async () => {
      const name = await begin(BASE, two)
      const store = storeOf(database, name, { fields: { title, isDone: z.boolean() } })
      const cause = expect.objectContaining({ message: expect.stringContaining('alter table') as string }) as Error
      const refusal = { status: 503, code: 'SERVICE_UNAVAILABLE', cause }
      const message = expect.not.stringContaining('alter table') as string
      for (const call of [rowsOf(store), store.get({ id: 1, where: {} }), store.create({ title: 'b' })])
        await expect(call).rejects.toMatchObject({ ...refusal, message })
    })

    it('is rejected for another table with the same name, with SQL that renames it', async () => {
      await database.query('create table somebodys (id text primary key)')
      const refusal = await refusalOf('somebodys', BASE)
      expect(String(refusal)).toContain('pass another name to table()')
      await runSqlOf(refusal)
      expect(await storeOf(database, 'somebodys', BASE).create({ title: 'a' })).toMatchObject({ id: 1 })
      expect(await database.query('select * from somebodys_old')).toEqual([])
    })

    const TYPES: Record<FieldType, z.ZodType> = {
      string: z.string(),
      integer: z.int(),
      number: z.number(),
      boolean: z.boolean(),
      timestamp: z.iso.datetime(),
      date: z.iso.date(),
      json: z.record(z.string(), z.unknown()).or(z.string()).or(z.number()).or(z.boolean()),
    }
    const VALUES: Record<FieldType, unknown> = {
      string: 'x',
      integer: 7,
      number: 7,
      boolean: true,
      timestamp: '2026-01-02T03:04:05.678Z',
      date: '2026-01-02',
      json: { a: 1 },
    }
    const types = Object.keys(TYPES) as FieldType[]
    const pairs = types.flatMap((from) => types.filter((to) => to !== from).map((to) => ({ from, to })))

    it.each(pairs)('is rejected from $from to $to, with the SQL that converts the values', async ({ from, to }) => {
      const value =
        from === 'json' ? VALUES[to] : from === 'string' && to !== 'json' ? String(VALUES[to]) : VALUES[from]
      const name = await begin({ fields: { value: TYPES[from].default(value) } }, [{ value }])
      const next = { fields: { value: TYPES[to].default(VALUES[to]) } }
      const refusal = await refusalOf(name, next)
      expect(refusal.message).toContain('value has a different type')
      await runSqlOf(refusal)
      const store = storeOf(database, name, next)
      const [row] = await rowsOf(store)
      expect(row?.['value']).not.toBeNull()
      expect(await store.create({ value: VALUES[to] })).toMatchObject({ value: VALUES[to] })
    })
  })
}
