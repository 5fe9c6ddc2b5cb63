import { createResource, type ResourceDefinition, type Store, type Where } from '@sdk/server'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase, table } from '../index.ts'
import { ALL } from './table.test.fixture.ts'

type Shape = z.ZodRawShape
type Rest = Partial<Pick<ResourceDefinition<z.ZodObject, 'public', string, string>, 'filter' | 'sort' | 'unique'>>

/** The store that a resource with these fields gets. */
function storeOf(
  name: string,
  fields: Shape,
  { database, ...rest }: Rest & { database?: Database } = {},
): Required<Store> {
  const source = table(name, database === undefined ? {} : { database })
  const definition = { schema: z.object(fields), store: source, access: 'public' as const, ...rest }
  return createResource('things', definition as never).store as Required<Store>
}

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`table on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    const columnsOf = async (name: string) => {
      const rows = await database.query<{ name: string; type: string }>(
        `select attname as name, format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end as type
         from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attnum`,
        [name],
      )
      return Object.fromEntries(rows.map((row) => [row.name, row.type]))
    }
    const indexesOf = async (name: string) => {
      const rows = await database.query<{ name: string }>(
        `select indexname as name from pg_indexes where tablename = $1 order by 1`,
        [name],
      )
      return rows.map((row) => row.name)
    }

    it('adds the fields of a resource to rows that SQL inserts', async () => {
      const store = storeOf('inserted', { title: z.string(), isDone: z.boolean().default(false) }, { database })
      await store.ready()
      await database.query(`insert into inserted (title) values ('tea')`)
      const [row] = (await store.list(ALL)).rows
      expect(row).toEqual({
        id: 1,
        title: 'tea',
        isDone: false,
        createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        updatedAt: row?.createdAt,
        version: 1,
      })
    })

    it('creates typed columns and the indexes that lists need', async () => {
      const fields = {
        title: z.string().max(200),
        dueDate: z.iso.date().nullable(),
        doneAt: z.iso.datetime().nullable(),
        isDone: z.boolean().default(false),
        priority: z.int().default(3),
        weight: z.number(),
        tags: z.array(z.string()),
        homeURL: z.string(),
      }
      const store = storeOf('typed', fields, {
        database,
        filter: ['isDone', 'homeURL'],
        sort: ['priority', 'createdAt'],
        unique: ['title', 'homeURL'],
      })
      await store.ready()
      expect(await columnsOf('typed')).toEqual({
        id: 'bigint not null',
        title: 'text not null',
        due_date: 'date',
        done_at: 'timestamp(3) with time zone',
        is_done: 'boolean not null',
        priority: 'bigint not null',
        weight: 'double precision not null',
        tags: 'jsonb not null',
        home_url: 'text not null',
        created_at: 'timestamp(3) with time zone not null',
        updated_at: 'timestamp(3) with time zone not null',
        version: 'integer not null',
      })
      expect(await indexesOf('typed')).toEqual([
        'typed.created_at,id',
        'typed.home_url hash',
        'typed.home_url unique hash',
        'typed.is_done,id',
        'typed.priority,id',
        'typed.title unique',
        'typed_pkey',
      ])
    })

    it('returns any values unchanged', async () => {
      const store = storeOf(
        'hostile',
        { userID: z.string(), orderBy: z.unknown(), isNull: z.string().nullable() },
        { database, filter: ['userID'] },
      )
      const values = {
        userID: `'; drop table hostile; -- "\\ $1 ${'é'.repeat(4000)}`,
        orderBy: { "it's": ['"', null] },
        isNull: null,
      }
      const row = await store.create(values)
      expect(row).toEqual({ ...values, id: 1, version: 1, createdAt: row.createdAt, updatedAt: row.createdAt })
      expect(await store.get({ id: 1, where: {} })).toEqual(row)
      const changed = await store.replace({ id: 1, where: {}, version: 1 }, { userID: 'x' })
      expect(changed).toMatchObject({ userID: 'x', version: 2, orderBy: values.orderBy })
      expect(await store.delete({ id: 1, where: {} })).toEqual(changed)
    })

    it('names the field whose value is taken, even if it is a long text', async () => {
      const fields = { code: z.string().max(20), homeURL: z.string() }
      const store = storeOf('taken', fields, { database, unique: ['code', 'homeURL'] })
      const long = 'x'.repeat(10_000)
      await store.create({ code: 'a', homeURL: long })
      await expect(store.create({ code: 'a', homeURL: 'y' })).rejects.toMatchObject({
        code: 'CONFLICT',
        details: [{ code: 'NOT_UNIQUE', pointer: '/code' }],
      })
      await expect(store.create({ code: 'b', homeURL: long })).rejects.toMatchObject({
        code: 'CONFLICT',
        details: [{ code: 'NOT_UNIQUE', pointer: '/homeURL' }],
      })
    })

    it('stores assigned fields in columns that it creates on first use', async () => {
      const fields = { title: z.string().max(20), priority: z.int() }
      const rest = { database, sort: ['priority', 'createdAt'] }
      const store = storeOf('owned', fields, rest)
      await store.create({ title: 'a', priority: 1, ownerId: 'ada', isShared: true, room: 7 })
      await store.create({ title: 'b', priority: 2, ownerId: 'bob' })
      expect(await columnsOf('owned')).toMatchObject({ owner_id: 'text', is_shared: 'boolean', room: 'bigint' })
      const mine = async (where: Where) => (await store.list({ ...ALL, where })).rows.map((row) => row['title'])
      expect(await mine({ ownerId: 'ada' })).toEqual(['a'])
      expect(await mine({ ownerId: ['bob', 'eve'] })).toEqual(['b'])
      expect(await mine({ room: null })).toEqual(['b'])
      expect(await store.get({ id: 1, where: { ownerId: 'bob' } })).toBeNull()
      expect(await store.delete({ id: 1, where: { ownerId: 'bob' } })).toBeNull()
      expect(await store.replace({ id: 1, where: { ownerId: 'bob' } }, { title: 'stolen' })).toBeNull()
      expect(await indexesOf('owned')).toEqual(
        expect.arrayContaining([
          'owned.owner_id,created_at,id cut',
          'owned.owner_id,id cut',
          'owned.owner_id,priority,id cut',
        ]),
      )

      const later = storeOf('owned', fields, rest)
      expect(await later.get({ id: 1, where: { ownerId: 'ada' } })).toMatchObject({ title: 'a' })
    })

    it('filters by an assigned field whose column does not exist yet', async () => {
      const store = storeOf('unmet', { title: z.string() }, { database })
      await store.create({ title: 'a' })
      const count = async (where: Where) => (await store.list({ ...ALL, where })).rows.length
      expect(await count({ ownerId: null })).toBe(1)
      expect(await count({ ownerId: [], id: 1 })).toBe(0)
      expect(await columnsOf('unmet')).not.toHaveProperty('owner_id')
      await storeOf('unmet', { title: z.string() }, { database }).create({ title: 'b', ownerId: 'ada' })
      expect(await count({ ownerId: null })).toBe(1)
      expect(await count({ ownerId: 'ada' })).toBe(1)
      expect(await count({ ownerId: [] })).toBe(0)
    })

    it('accepts null for an assigned field without a column', async () => {
      const make = () => storeOf('nulls', { title: z.string() }, { database })
      const store = make()
      expect(await store.create({ title: 'a', ownerId: null })).toMatchObject({ id: 1, title: 'a' })
      expect(await store.replace({ id: 1, where: {} }, { title: 'b', ownerId: null })).toMatchObject({ title: 'b' })
      expect(await columnsOf('nulls')).not.toHaveProperty('owner_id')
      await store.create({ title: 'c', ownerId: 'ada' })
      const later = make()
      await later.create({ title: 'd', ownerId: null })
      expect(await make().replace({ id: 2, where: {} }, { ownerId: null })).toMatchObject({ title: 'c' })
      expect((await later.list({ ...ALL, where: { ownerId: null } })).rows).toHaveLength(3)
    })

    it('exposes no rows of others while another process creates the column of a rule', async () => {
      const store = storeOf('raced', { title: z.string() }, { database })
      await store.create({ title: 'free' })
      // The column comes between the look for it and the question.
      const query = database.query.bind(database)
      let isMade = false
      const racing: Database = {
        ...database,
        async query<T>(sql: Parameters<Database['query']>[0], params?: readonly unknown[]) {
          const rows = await query<T>(sql, params)
          if (typeof sql === 'object' && sql.name.startsWith('sdk_catalog') && isMade) {
            await store.create({ title: 'mine', ownerId: 'ada' })
            isMade = false
          }
          return rows
        },
      }
      const late = storeOf('raced', { title: z.string() }, { database: racing })
      await late.ready()
      isMade = true
      const { rows } = await late.list({ ...ALL, where: { ownerId: null } })
      expect(isMade).toBe(false)
      expect(rows.map((row) => row['title'])).toEqual(['free'])
    })

    it('rejects a fraction in a column for integers, which would have to be rewritten', async () => {
      const store = storeOf('widened', { title: z.string() }, { database })
      await store.create({ title: 'a', score: 1 })
      await expect(store.create({ title: 'b', score: 1.5 })).rejects.toThrow('score must be of type integer')
      expect(await columnsOf('widened')).toMatchObject({ score: 'bigint' })
    })

    it.each([
      ['another type in a rule', 'get', { ownerId: 7 }],
      ['another type of a declared field', 'get', { isDone: 'yes' }],
      ['values of several types', 'get', { ownerId: ['ada', 7] }],
      ['an undefined value in a rule', 'get', { ownerId: undefined }],
      ['an invalid field name', 'get', { 'owner"; drop table misfits; --': 'x' }],
      ['a field with the same column as another', 'get', { ownerID: 'x' }],
      ['the field version', 'get', { version: 1 }],
      ['a system column of PostgreSQL', 'get', { xmin: 1 }],
      ['another type of an assigned field', 'create', { title: 'a', isDone: true, ownerId: true }],
      ['an object', 'create', { title: 'a', isDone: true, owner: {} }],
      ['a value that is not a number', 'create', { title: 'a', isDone: true, owner: Number.NaN }],
    ])('rejects %s', async (_what, method, values) => {
      const store = storeOf('misfits', { title: z.string(), isDone: z.boolean() }, { database })
      await store.create({ title: 'a', isDone: false, ownerId: 'ada' })
      const call = method === 'get' ? store.get({ id: 1, where: values as never }) : store.create(values)
      await expect(call).rejects.toThrow(TypeError)
    })

    it('runs work once, with rows and result in one transaction', async () => {
      const store = storeOf('worked', { title: z.string() }, { database })
      const key = { key: 'worked', print: 'p', seconds: 60 }
      const work = async (inner: Store) => String((await inner.create?.({ title: 'a', ownerId: 'ada' }))?.id)
      const failing = store.once(key, async (inner) => {
        await work(inner)
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await columnsOf('worked')).not.toHaveProperty('owner_id')
      const results = await Promise.all([store.once(key, work), store.once(key, work), store.once(key, work)])
      expect(new Set(results.map(({ value }) => value)).size).toBe(1)
      expect(results.filter(({ isNew }) => isNew)).toHaveLength(1)
      expect((await store.list({ ...ALL, where: { ownerId: 'ada' } })).rows).toHaveLength(1)
      expect(await store.once({ ...key, print: 'q' }, work)).toMatchObject({ isNew: false, print: 'p' })
    })

    it('creates its table again after it was dropped', async () => {
      const store = storeOf('dropped', { title: z.string() }, { database })
      await store.create({ title: 'a', ownerId: 'ada' })
      await database.query('drop table dropped')
      await expect(store.create({ title: 'b', ownerId: 'ada' })).rejects.toMatchObject({ code: '42P01' })
      expect(await store.create({ title: 'c', ownerId: 'ada' })).toMatchObject({ id: 1, title: 'c' })
    })

    it('returns its own rows inside once', async () => {
      const store = storeOf('within', { title: z.string() }, { database })
      const { value } = await store.once({ key: 'within', print: 'p', seconds: 60 }, async (inner) => {
        const row = await inner.create?.({ title: 'a', ownerId: 'ada' })
        const found = await inner.list?.({ ...ALL, where: { ownerId: 'ada' } })
        return `${row?.id}:${found?.rows.length}`
      })
      expect(value).toBe('1:1')
    })
  })
}

describe('table', () => {
  it.each(['', 'Tasks', 'lineItems', '1st', 'a-b', 'a"b', 'pg_class', 'sdk_idempotency', 'a'.repeat(64), undefined])(
    'rejects the name %j',
    (name) => {
      expect(() => table(name as string)).toThrow(TypeError)
    },
  )

  it('throws if two fields would share a column', () => {
    expect(() => storeOf('notes', { userId: z.string(), userID: z.string() })).toThrow(/userId and userID.*user_id/)
  })
})
