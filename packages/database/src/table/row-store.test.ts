import { createDatabase, hasPostgres } from '@sdk/test-kit'
import type { ApiError, ListQuery } from '@sdk/server'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Layout, Statement } from '../table-layout.ts'
import { createRowStore, type RowStore } from './row-store.ts'
import { ALL } from './table.test.fixture.ts'

const LAYOUT: Layout = {
  table: '"notes"',
  columns: [
    { field: 'id', name: 'id', type: 'integer' },
    { field: 'title', name: 'ti"tle', type: 'string' },
    { field: 'ownerId', name: 'owner_id', type: 'integer' },
    { field: 'parentId', name: 'parent_id', type: 'integer' },
    { field: 'ratio', name: 'ratio', type: 'number' },
    { field: 'isDone', name: 'is_done', type: 'boolean' },
    { field: 'doneAt', name: 'done_at', type: 'timestamp' },
    { field: 'dueDate', name: 'due_date', type: 'date' },
    { field: 'data', name: 'data', type: 'json' },
    { field: 'createdAt', name: 'created_at', type: 'timestamp' },
    { field: 'updatedAt', name: 'updated_at', type: 'timestamp' },
  ],
  version: 'version',
}

describe.skipIf(!hasPostgres())('createRowStore', () => {
  let pool: pg.Pool
  let store: RowStore
  let statements: Statement[]
  beforeAll(async () => {
    // A session and a driver that do all they can to be unusual.
    const options = '-c timezone=America/St_Johns -c datestyle=German -c intervalstyle=sql_standard'
    const types = { getTypeParser: () => (value: string | Buffer) => value }
    pool = new pg.Pool({ connectionString: await createDatabase(), options, types, max: 4 })
    await pool.query(`create table notes (
      id bigint generated always as identity primary key, "ti""tle" text collate "C", owner_id bigint,
      parent_id bigint references notes, ratio double precision check (ratio <> 13), is_done boolean not null default false,
      done_at timestamptz(3), due_date date, data jsonb, created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null, version integer not null, unique (owner_id, "ti""tle"))`)
  })
  afterAll(() => pool.end())
  beforeEach(async () => {
    statements = []
    await pool.query('truncate notes restart identity')
    store = createRowStore({ ...LAYOUT }, async (statement) => {
      statements.push(statement)
      const { text, values, name = '' } = statement
      return (await pool.query<Record<string, unknown>>({ name, text, values: [...values] })).rows
    })
  })

  it('returns the stored values regardless of session and driver settings', async () => {
    const values = {
      title: `'; drop table notes; -- "$1" \u{1F600}`,
      ownerId: -Number.MAX_SAFE_INTEGER,
      parentId: null,
      ratio: 0.1 + 0.2,
      isDone: true,
      doneAt: '0001-01-01T00:00:00.000Z',
      dueDate: '9999-12-31',
      data: { list: [1, 'two', null], 'a"b': { c: true } },
    }
    const row = await store.create(values)
    expect(row).toEqual({ ...values, id: 1, createdAt: row.createdAt, updatedAt: row.createdAt, version: 1 })
    expect(row.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Math.abs(Date.parse(row.createdAt) - Date.now())).toBeLessThan(60_000)
    expect(await store.get({ id: 1, where: {} })).toEqual(row)
    expect((await store.list(ALL)).rows).toEqual([row])
    expect(await store.delete({ id: 1, where: {} })).toEqual(row)
    expect(await store.get({ id: 1, where: {} })).toBeNull()
  })

  it.each([['text'], ['"quoted"'], ['{"not": "parsed"}'], ['null'], [''], [0], [false], [null], [[]], [{}], [[null]]])(
    'stores the JSON value %j unchanged',
    async (data) => {
      const { id } = await store.create({ data })
      expect(await store.get({ id, where: {} })).toMatchObject({ data })
      expect((await pool.query('select 1 from notes where data is null')).rowCount).toBe(data === null ? 1 : 0)
    },
  )

  it.each([-0.1, 5e-324, 1.7976931348623157e308, 1e21, 123456789.12345679])(
    'stores the number %d exactly',
    async (ratio) => {
      const { id } = await store.create({ ratio })
      expect(await store.get({ id, where: { ratio } })).toMatchObject({ ratio })
    },
  )

  it('pages through times that the API conventions cannot represent', async () => {
    const times = [
      '-infinity',
      '4713-01-01 00:00:00 BC',
      '0044-03-15 10:00:00.5 BC',
      '2026-01-01',
      '12345-01-01',
      'infinity',
    ]
    for (const time of times)
      await pool.query(
        `insert into notes (done_at, created_at, updated_at, version) values ('${time}', now(), now(), 1)`,
      )
    const sort = [
      { field: 'doneAt', isDescending: false },
      { field: 'id', isDescending: false },
    ]
    let after: ListQuery['after'] = null
    for (const [index] of times.entries()) {
      const { rows } = await store.list({ ...ALL, sort, after, limit: 1 })
      expect(rows.map(({ id }) => id)).toEqual([index + 1])
      after = [rows[0]?.['doneAt'] as string, index + 1]
    }
    expect((await store.list({ ...ALL, sort, after })).rows).toEqual([])
  })

  it('increases updatedAt with every change, even if it is in the future', async () => {
    await store.create({ title: 'one' })
    await pool.query(`update notes set updated_at = '2999-01-01T00:00:00Z'`)
    const changed = await store.replace({ id: 1, where: {}, version: 1 }, { title: 'two' })
    expect(changed).toMatchObject({ title: 'two', version: 2, updatedAt: '2999-01-01T00:00:00.001Z' })
    expect(await store.replace({ id: 1, where: {} }, {})).toMatchObject({
      version: 3,
      updatedAt: '2999-01-01T00:00:00.002Z',
    })
  })

  it('changes only the fields that are given', async () => {
    await store.create({ title: 'one', ownerId: 7, data: { a: 1 } })
    expect(await store.replace({ id: 1, where: {} }, { title: null, ratio: undefined })).toMatchObject({
      title: null,
      ownerId: 7,
      data: { a: 1 },
    })
  })

  it('does not return or change a row of another owner or version', async () => {
    const row = await store.create({ title: 'one', ownerId: 7 })
    for (const target of [
      { id: 1, where: { ownerId: 8 } },
      { id: 1, where: { ownerId: null } },
      { id: 1, where: { ownerId: [] } },
      { id: 1, where: {}, version: 2 },
      { id: 1, where: {}, version: 'no number' },
      { id: 2, where: {} },
    ]) {
      expect(await store.get(target)).toBeNull()
      expect(await store.replace(target, { title: 'two' })).toBeNull()
      expect(await store.delete(target)).toBeNull()
    }
    expect(await store.get({ id: 1, where: { ownerId: [1, 7], isDone: false, ratio: null }, version: 1 })).toEqual(row)
  })

  it('throws if a rule, sort, filter or value has no column', async () => {
    const where = { nowhere: 1 }
    const conditions = [{ field: 'nowhere', operator: 'eq', value: 1 } as const]
    const sort = [{ field: 'nowhere', isDescending: false }]
    await expect(store.get({ id: 1, where })).rejects.toThrow(TypeError)
    await expect(store.delete({ id: 1, where })).rejects.toThrow(TypeError)
    await expect(store.replace({ id: 1, where }, {})).rejects.toThrow(TypeError)
    await expect(store.list({ ...ALL, where })).rejects.toThrow(TypeError)
    await expect(store.list({ ...ALL, conditions })).rejects.toThrow(TypeError)
    await expect(store.list({ ...ALL, sort })).rejects.toThrow(TypeError)
    await expect(store.create({ nowhere: 1 })).rejects.toThrow(/no column for nowhere/)
    await expect(store.get({ id: 1, where: { ownerId: undefined as never } })).rejects.toThrow(TypeError)
    await expect(store.get({ id: 1, where: { title: [null as never] } })).rejects.toThrow(TypeError)
    await expect(store.create({ title: { not: 'text' } })).rejects.toThrow(TypeError)
    await expect(store.list({ ...ALL, limit: '1; drop table notes' as never })).rejects.toThrow(TypeError)
    await expect(store.list({ ...ALL, after: [1, 2] })).rejects.toThrow(TypeError)
    expect(statements).toEqual([])
  })

  it('limits a list by maxBytes, after at least one row, and sets isCut', async () => {
    const sizes = [3_000, 1_000, 10, 2_000, 10]
    for (const [at, size] of sizes.entries())
      await store.create({ title: 'x'.repeat(size), ratio: at === 2 ? null : 1 })
    await store.create({ data: { text: 'y'.repeat(5_000) } })
    const list = async (query: Partial<ListQuery>) => {
      const { rows, isCut, total } = await store.list({ ...ALL, ...query })
      return { ids: rows.map(({ id }) => id), isCut, total }
    }
    expect(await list({ maxBytes: 2_000 })).toMatchObject({ ids: [1], isCut: true })
    expect(await list({ maxBytes: 2_000, after: [1] })).toMatchObject({ ids: [2, 3], isCut: true })
    expect(await list({ maxBytes: 3_000, after: [3] })).toMatchObject({ ids: [4, 5], isCut: true })
    expect(await list({ maxBytes: 2_000, after: [5] })).toMatchObject({ ids: [6], isCut: false })
    expect(await list({ maxBytes: 2_000, after: [6] })).toMatchObject({ ids: [], isCut: false })
    expect(await list({ maxBytes: 100_000, limit: 2 })).toMatchObject({ ids: [1, 2], isCut: false })
    expect(await list({ maxBytes: 2_000, isCounted: true })).toEqual({ ids: [1], isCut: true, total: 6 })
    const descending = [{ field: 'id', isDescending: true }]
    expect(await list({ maxBytes: 3_000, sort: descending, after: [6] })).toMatchObject({ ids: [5, 4, 3], isCut: true })
    // Several ranges of an index, since a key may have no value.
    const sort = [{ field: 'ratio', isDescending: false }, ...ALL.sort]
    expect(await list({ maxBytes: 3_000, sort, after: [1, 2] })).toMatchObject({ ids: [4, 5, 3], isCut: true })
  })

  it('counts all matching rows, not only those of the page', async () => {
    for (const ownerId of [1, 2, 1, 1]) await store.create({ ownerId })
    const query = { ...ALL, limit: 1, after: [3], where: { ownerId: 1 }, isCounted: true }
    const { rows, total } = await store.list(query)
    expect(rows.map(({ id }) => id)).toEqual([4])
    expect(total).toBe(3)
    expect(await store.list({ ...query, isCounted: false })).not.toHaveProperty('total')
  })

  it('matches rows without a value only with ne', async () => {
    for (const ratio of [1, 2, null]) await store.create({ ratio })
    const idsWhere = async (operator: 'eq' | 'ne' | 'lt' | 'gte'): Promise<number[]> => {
      const { rows } = await store.list({ ...ALL, conditions: [{ field: 'ratio', operator, value: 2 }] })
      return rows.map(({ id }) => id)
    }
    expect(await Promise.all((['eq', 'ne', 'lt', 'gte'] as const).map(idsWhere))).toEqual([[2], [1, 3], [1], [2]])
  })

  it('runs each change in one statement', async () => {
    await store.create({ title: 'one' })
    await store.replace({ id: 1, where: {}, version: 1 }, { title: 'two' })
    await store.delete({ id: 1, where: {}, version: 2 })
    expect(statements.map(({ text }) => text.split(' ')[0])).toEqual(['insert', 'update', 'delete'])
  })

  it('prepares each statement under one name, up to 100 statements', async () => {
    for (let limit = 1; limit <= 150; limit++) await store.list({ ...ALL, limit })
    await store.list({ ...ALL, limit: 1, after: [5] })
    await store.list({ ...ALL, limit: 1 })
    const names = statements.flatMap(({ name }) => name ?? [])
    expect(new Set(names).size).toBe(100)
    expect(statements.at(-1)?.name).toBe(statements[0]?.name)
    expect(statements.at(-2)?.name).toBeUndefined()
  })

  describe('if the database rejects a statement', () => {
    it('names the fields whose values are taken', async () => {
      await store.create({ title: 'one', ownerId: 7 })
      const taken = { code: 'NOT_UNIQUE', message: 'is taken', source: 'body' }
      const expected = {
        code: 'CONFLICT',
        status: 409,
        message: 'the combination of title and ownerId is taken',
        details: [
          { ...taken, pointer: '/title' },
          { ...taken, pointer: '/ownerId' },
        ],
      }
      await expect(store.create({ title: 'one', ownerId: 7 })).rejects.toMatchObject(expected)
      const { id } = await store.create({ title: 'two', ownerId: 7 })
      await expect(store.replace({ id, where: {} }, { title: 'one' })).rejects.toMatchObject(expected)
    })

    it('reports referenced rows and missing references', async () => {
      await store.create({ title: 'parent' })
      await store.create({ title: 'child', parentId: 1 })
      await expect(store.delete({ id: 1, where: {} })).rejects.toMatchObject({
        code: 'CONFLICT',
        details: [{ code: 'REFERENCED' }],
      })
      await expect(store.replace({ id: 2, where: {} }, { parentId: 99 })).rejects.toMatchObject({
        code: 'CONFLICT',
        message: 'parentId references a row that does not exist',
        details: [{ code: 'REFERENCED', source: 'body', pointer: '/parentId' }],
      })
    })

    it.each([
      [{ isDone: null }, '/isDone'],
      [{ ratio: 13 }, '/ratio'],
      [{ ownerId: 1e19 }, undefined],
      [{ ownerId: 1.5 }, undefined],
      [{ doneAt: 'soon' }, undefined],
      [{ dueDate: '2026-02-30' }, undefined],
      [{ title: 'a\0b' }, undefined],
      [{ data: { text: 'a\0b' } }, undefined],
    ])('rejects %j with 400', async (values, pointer) => {
      const error = await store.create(values).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        code: 'INVALID_REQUEST',
        status: 400,
        details: [{ code: 'INVALID_VALUE', source: 'body' }],
      })
      expect((error as ApiError).details.map((detail) => detail.pointer)).toEqual([pointer])
    })

    it('rejects an invalid cursor or filter with 400', async () => {
      const expected = { code: 'INVALID_REQUEST', details: [{ code: 'INVALID_VALUE', source: 'query' }] }
      await expect(store.list({ ...ALL, after: ['x'] })).rejects.toMatchObject(expected)
      const conditions = [{ field: 'doneAt', operator: 'gt', value: 'soon' } as const]
      await expect(store.list({ ...ALL, conditions })).rejects.toMatchObject(expected)
    })

    it('rejects with the original error if it is not about values', async () => {
      const lost = createRowStore({ ...LAYOUT, table: '"nowhere"' }, async ({ text, values }) => {
        const { rows } = await pool.query<Record<string, unknown>>(text, [...values])
        return rows
      })
      await expect(lost.list(ALL)).rejects.toMatchObject({ code: '42P01' })
    })
  })
})
