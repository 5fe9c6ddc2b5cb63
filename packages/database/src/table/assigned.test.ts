import { createResource, type Store } from '@sdk/server'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase, table, type TableOptions } from '../index.ts'
import { ALL } from './table.test.fixture.ts'

function storeOf(
  name: string,
  options: TableOptions,
  schema = z.object({ title: z.string().max(50) }),
): Required<Store> {
  const assign = (): Record<string, unknown> => ({})
  const definition = { schema, store: table(name, options), access: 'public', assign, sort: ['title'] } as const
  return createResource('things', definition).store as Required<Store>
}

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`assigned fields of a table on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    const columnsOf = async (name: string): Promise<Record<string, unknown>[]> =>
      database.query(
        `select attname as name, format_type(atttypid, null) as type from pg_attribute
         where attrelid = $1::regclass and attnum > 0 order by attnum offset 5`,
        [name],
      )

    it('have their columns and indexes before the first request, which changes no table', async () => {
      const assigned = { ownerId: 'string', room: 'integer' } as const
      await storeOf('owned', { database, assigned }).ready()
      expect(await columnsOf('owned')).toEqual([
        { name: 'owner_id', type: 'text' },
        { name: 'room', type: 'bigint' },
      ])
      const watched: Database = {
        ...database,
        '~transaction': () => Promise.reject(new Error('a table was changed')),
      } as never
      const store = storeOf('owned', { database: watched, assigned })
      await store.create({ title: 'a', ownerId: 'ada', room: 7 })
      await store.create({ title: 'b', ownerId: 'bob', room: null })
      const { rows } = await store.list({ ...ALL, where: { ownerId: 'ada', room: [7, 8] } })
      expect(rows).toEqual([expect.objectContaining({ title: 'a' })])
      expect(rows[0]).not.toHaveProperty('ownerId')
      await expect(store.create({ title: 'c', ownerId: 'ada', other: 1 })).rejects.toThrow('a table was changed')
      expect((await storeOf('owned', { database, assigned }).plan()).changes).toEqual([])
    })

    it('without a type are rejected in production, with the fix, unless they have a column', async () => {
      vi.stubEnv('NODE_ENV', 'production')
      try {
        const store = storeOf('strict', { database })
        const fix = "table('strict', { assigned: { ownerId: 'string' } })"
        await expect(store.create({ title: 'a', ownerId: 'ada' })).rejects.toThrow(fix)
        await expect(store.list({ ...ALL, where: { ownerId: 'ada' } })).rejects.toThrow(fix)
        expect(await columnsOf('strict')).toEqual([])
        expect(await store.create({ title: 'b', ownerId: null })).toMatchObject({ id: 1 })
        await storeOf('strict', { database, assigned: { ownerId: 'string' } }).ready()
        const later = storeOf('strict', { database })
        await later.create({ title: 'c', ownerId: 'ada' })
        expect((await later.list({ ...ALL, where: { ownerId: 'ada' } })).rows).toMatchObject([{ title: 'c' }])
      } finally {
        vi.unstubAllEnvs()
      }
    })

    it('are part of the plan of an existing table', async () => {
      await storeOf('later', { database }).create({ title: 'a' })
      const { changes } = await storeOf('later', { database, assigned: { ownerId: 'string' } }).plan()
      expect(changes.map(({ kind: found, steps }) => [found, steps[0]?.sql])).toEqual([
        ['automatic', 'alter table "later" add column if not exists "owner_id" text collate "C"'],
        ['automatic', expect.stringContaining('create index concurrently if not exists "later.owner_id,id cut"')],
        ['automatic', expect.stringContaining('"later.owner_id,title,id cut"')],
      ])
    })

    it('may have been required fields of the schema', async () => {
      const before = z.object({ title: z.string().max(50), room: z.int() })
      await storeOf('moved', { database }, before).create({ title: 'a', room: 1 })
      await expect(storeOf('moved', { database }).ready()).rejects.toThrow('was removed')
      const store = storeOf('moved', { database, assigned: { room: 'integer' } })
      expect(await store.create({ title: 'b', room: 2 })).toMatchObject({ id: 2 })
    })

    it('reject a column of another type, with the fix', async () => {
      await storeOf('typed', { database }).create({ title: 'a', score: 1 })
      await expect(storeOf('typed', { database, assigned: { score: 'number' } }).ready()).rejects.toThrow(
        'score must be of type integer (column score), got number: to store fractions, change it to double precision',
      )
      await database.query('alter table typed alter column score type double precision')
      const store = storeOf('typed', { database, assigned: { score: 'number' } })
      expect(await store.create({ title: 'b', score: 1.5 })).toMatchObject({ id: 2 })
    })
  })
}

describe('the assigned option', () => {
  it.each([
    [{ title: 'string' }, /assigned contains title, which is a field in the schema/],
    [{ createdAt: 'timestamp' }, /assigned contains createdAt/],
    [{ version: 'integer' }, /cannot be stored in version/],
    [{ Owner: 'string' }, /must be in camelCase/],
    [{ owner: 'text' }, /the type of owner must be string, integer, .* got "text"/],
    [{ owner: 'json' }, /got "json"/],
    [{ owner: 'toString' }, /got "toString"/],
  ])('rejects %j', (assigned, message) => {
    expect(() => storeOf('things', { assigned: assigned as never })).toThrow(message)
  })
})
