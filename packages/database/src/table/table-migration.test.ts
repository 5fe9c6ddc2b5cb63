import { createDatabase, DATABASE_KINDS, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase } from '../index.ts'
import { rowsOf, storeOf, type Version } from './table.test.fixture.ts'

const title = z.string().max(100)
const BASE: Version = { fields: { title } }

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`a migration on ${kind}`, () => {
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

    it('keeps the rows across three versions', async () => {
      const name = await begin(BASE, [{ title: 'a' }])
      const second: Version = {
        fields: {
          title,
          note: z.string().nullable(),
          priority: z.int().default(3),
          tags: z.array(z.string()).default([`it's "\\`]),
        },
        sort: ['priority'],
      }
      const store = storeOf(database, name, second)
      expect(await rowsOf(store)).toEqual([{ id: 1, title: 'a', note: null, priority: 3, tags: [`it's "\\`] }])
      await store.create({ title: 'b', note: 'x', priority: 1, tags: [] })
      const third: Version = {
        fields: { title: title.nullable(), priority: z.int().default(3), isDone: z.boolean().default(false) },
        sort: ['priority'],
        filter: ['isDone'],
        unique: ['title'],
      }
      const last = storeOf(database, name, third)
      await last.create({ title: null, priority: 2, isDone: true })
      expect(await rowsOf(last)).toEqual([
        { id: 1, title: 'a', priority: 3, isDone: false },
        { id: 2, title: 'b', priority: 1, isDone: false },
        { id: 3, title: null, priority: 2, isDone: true },
      ])
    })

    it('keeps programs of the previous version working', async () => {
      const name = await begin(BASE)
      const old = storeOf(database, name, BASE)
      await old.create({ title: 'a' })
      const next = storeOf(database, name, {
        fields: { title: title.nullable(), size: z.int().default(7), note: title.nullable() },
      })
      await next.create({ title: null, size: 1, note: null })
      await old.create({ title: 'b' })
      expect(await old.get({ id: 1, where: {} })).toMatchObject({ title: 'a' })
      expect(await rowsOf(next)).toMatchObject([{ size: 7 }, { size: 1 }, { title: 'b', size: 7 }])
    })

    it('takes no lock and changes nothing if the schema is the same', async () => {
      const version: Version = {
        fields: { title, long: z.string(), size: z.int().default(1) },
        filter: ['title', 'long'],
        sort: ['size', 'updatedAt'],
        unique: ['title', 'long'],
      }
      const name = await begin(version, [{ title: 'a', long: 'b', size: 1, ownerId: 'x' }])
      const said: string[] = []
      const watched: Database = {
        ...database,
        query: (sql, params) => {
          said.push(typeof sql === 'string' ? sql : sql.text)
          return database.query(sql, params)
        },
        transaction: () => Promise.reject(new Error('no transaction, and no lock')),
      }
      const store = storeOf(watched, name, version)
      await Promise.all([store.ready(), store.ready(), store.get({ id: 1, where: {} })])
      expect(said.filter((sql) => !/^select\b(?!.*lock)/s.test(sql))).toEqual([])
      expect(said.filter((sql) => sql.includes('pg_attribute'))).toHaveLength(1)
    })

    it('creates indexes for new filters and drops those that reject longer texts', async () => {
      const name = await begin({ fields: { title }, sort: ['title'], unique: ['title'] }, [
        { title: 'a', ownerId: 'x' },
      ])
      await storeOf(database, name, { fields: { title }, sort: ['title'] }).get({ id: 1, where: { ownerId: 'x' } })
      const longer = storeOf(database, name, { fields: { title: z.string() }, filter: ['title'], unique: ['title'] })
      const long = Array.from({ length: 900 }, (_, index) => String.fromCodePoint(0x1_00_00 + index * 7)).join('')
      await longer.create({ title: long, ownerId: 'x' })
      await expect(longer.create({ title: long })).rejects.toMatchObject({ code: 'CONFLICT' })
      // A program of the version before starts again: it goes without its index.
      await storeOf(database, name, { fields: { title }, sort: ['title'] }).ready()
      const indexes = await database.query<{ name: string }>(
        'select indexname as name from pg_indexes where tablename = $1',
        [name],
      )
      expect(indexes.map((index) => index.name).toSorted()).toEqual(
        [`${name}.owner_id,id cut`, `${name}.title hash`, `${name}.title unique hash`, `${name}_pkey`].toSorted(),
      )
    })

    it('adds a required field while there are no rows', async () => {
      const name = await begin(BASE)
      const store = storeOf(database, name, { fields: { title, size: z.int() } })
      expect(await store.create({ title: 'a', size: 1 })).toMatchObject({ size: 1 })
    })

    it.each([
      ['another type', { fields: { title: z.int() }, filter: ['title'] }, { title: 7 }],
      ['a removed field', { fields: { note: title } }, { note: 'x' }],
    ] satisfies [string, Version, object][])(
      'applies changes to an empty table in development: %s',
      async (_what, version, row) => {
        const name = await begin({ fields: { title }, filter: ['title'], unique: ['title'] })
        await expect(storeOf(database, name, version).ready()).rejects.toThrow('does not match its resource')
        vi.stubEnv('NODE_ENV', 'development')
        const store = storeOf(database, name, version)
        await store.create(row)
        expect(await rowsOf(store)).toEqual([{ id: 1, ...row }])
        // There are rows now.
        await expect(
          storeOf(database, name, { fields: { title: z.boolean(), note: z.int() } }).ready(),
        ).rejects.toThrow('does not match its resource')
      },
    )

    it('makes a nullable field required if every row has a value', async () => {
      const before: Version = { fields: { title, note: title.nullable() }, sort: ['note'] }
      const name = await begin(before, [{ title: 'a', note: 'x' }])
      const store = storeOf(database, name, { fields: { title, note: title }, sort: ['note'] })
      expect(await rowsOf(store)).toMatchObject([{ note: 'x' }])
      // A program of the version before goes on, and its rows do not get lost between pages.
      await storeOf(database, name, before).create({ title: 'b', note: null })
      const sort = ['note', 'id'].map((field) => ({ field, isDescending: false }))
      const page = { limit: 1, sort, after: ['x', 1], conditions: [], where: {}, isCounted: false }
      expect((await store.list(page)).rows).toMatchObject([{ title: 'b', note: null }])
    })
  })
}

describe.skipIf(!hasPostgres())('migrations of several processes', () => {
  const version: Version = {
    fields: { title, size: z.int().default(1) },
    filter: ['title'],
    sort: ['size'],
    unique: ['title'],
  }

  it('create one table and the same columns', async () => {
    const url = await createDatabase()
    const databases = Array.from({ length: 6 }, () => openDatabase(url))
    await Promise.all(databases.map((database) => database.ready()))
    const stores = databases.map((database) => storeOf(database, 'shared', version))
    await Promise.all(stores.map((store) => store.ready()))
    await Promise.all(
      stores.map((store, index) =>
        index % 2 === 0
          ? store.create({ title: `t${index}`, size: 1, ownerId: 'ada', room: index })
          : store.once({ key: `k${index}`, print: '', seconds: 9 }, async (inner) => {
              await inner.create?.({ title: `t${index}`, size: 1, ownerId: 'ada', room: index })
              return ''
            }),
      ),
    )
    const lists = await Promise.all(
      stores.map((store) => store.get({ id: 1, where: { ownerId: 'ada', room: [0, 1, 2, 3, 4, 5] } })),
    )
    expect(lists.every((row) => row !== null)).toBe(true)
    const counts = await Promise.all(stores.map(async (store) => (await rowsOf(store)).length))
    expect(counts).toEqual(stores.map(() => 6))
    await Promise.all(databases.map((database) => database.close()))
  })

  it('accept a wider type that was set with SQL, despite statements that others prepared', async () => {
    const url = await createDatabase()
    const [one, other] = [openDatabase(url), openDatabase(url)]
    const old = storeOf(one, 'widened', version)
    await old.create({ title: 'a', size: 2 })
    expect(await old.get({ id: 1, where: {} })).toMatchObject({ size: 2 })
    const wider = storeOf(other, 'widened', { ...version, fields: { title, size: z.number() } })
    await expect(wider.ready()).rejects.toThrow('size has a different type')
    await other.query('alter table widened alter column size type double precision')
    await wider.ready()
    const reads = await Promise.all([1, 2, 3].map(() => old.get({ id: 1, where: {} })))
    expect(reads).toMatchObject([{ size: 2 }, { size: 2 }, { size: 2 }])
    expect(await old.get({ id: 1, where: {} })).toMatchObject({ size: 2 })
    await Promise.all([one.close(), other.close()])
  })
})
