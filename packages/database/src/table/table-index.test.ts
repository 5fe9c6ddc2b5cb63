import { ONE_KIND } from '@sdk/test-kit'
import type { Store, Where } from '@sdk/server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase } from '../index.ts'
import { ALL, storeOf } from './table.test.fixture.ts'

async function titlesOf(store: Required<Store>, where: Where): Promise<unknown[]> {
  const { rows } = await store.list({ ...ALL, where })
  return rows.map((row) => row['title'])
}

/** Text that cannot be made shorter, of three octets a character. */
function longText(length: number, seed = 1): string {
  let state = seed
  const next = (): string => {
    state = (state * 48_271) % 2_147_483_647
    return String.fromCodePoint(0x4e_00 + (state % 20_000))
  }
  return Array.from({ length }, next).join('')
}

for (const { kind, isHere, open } of ONE_KIND) {
  describe.skipIf(!isHere)(`indexes of a table on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    const indexesOf = async (name: string): Promise<string[]> => {
      const rows = await database.query<{ name: string }>(
        'select indexname as name from pg_indexes where tablename = $1 order by 1',
        [name],
      )
      return rows.map((row) => row.name)
    }

    it('support assigned values of any length', async () => {
      const version = { fields: { title: z.string().max(255) }, sort: ['title'] }
      const store = storeOf(database, 'tenants', version)
      await store.create({ title: 'short', tenant: 'a' })
      expect(await titlesOf(store, { tenant: 'a' })).toEqual(['short'])
      const [one, other] = [`${longText(2000)}1`, `${longText(2000)}2`]
      await store.create({ title: longText(255, 2), tenant: one })
      await store.create({ title: 'other', tenant: other })
      expect(await titlesOf(store, { tenant: other })).toEqual(['other'])
      expect(await titlesOf(store, { tenant: ['a', other] })).toEqual(['short', 'other'])
      expect(await titlesOf(store, { tenant: other.slice(0, -1) })).toEqual([])
      expect(await titlesOf(store, { tenant: other.slice(0, 120) })).toEqual([])
      expect(await indexesOf('tenants')).toEqual(
        expect.arrayContaining(['tenants.tenant,id cut', 'tenants.tenant,title,id cut']),
      )
    })

    it('are used to find the rows of an access rule', async () => {
      const store = storeOf(database, 'found', { fields: { title: z.string().max(20) } })
      await store.create({ title: 'a', ownerId: 'ada' })
      await titlesOf(store, { ownerId: 'ada' })
      await database.query(
        `insert into found (title, owner_id, created_at, updated_at)
         select 'b', 'user ' || n % 500, now(), now() from generate_series(1, 5000) n`,
      )
      await database.query('analyze found')
      const spoken: string[] = []
      const { query } = database
      const listening: Database = {
        ...database,
        query(sql, params) {
          spoken.push(typeof sql === 'string' ? sql : sql.text)
          return query(sql, params)
        },
      }
      const listened = storeOf(listening, 'found', { fields: { title: z.string().max(20) } })
      expect(await titlesOf(listened, { ownerId: 'user 7' })).toHaveLength(10)
      const plan = await database.query(`explain ${spoken.at(-1)}`, ['user 7'])
      expect(JSON.stringify(plan)).toContain('found.owner_id,id cut')
    })

    it('are omitted for a rule if rows of another version are too long', async () => {
      const longer = storeOf(database, 'shortened', { fields: { title: z.string() } })
      await longer.create({ title: longText(3000), tenant: 'a' })
      const store = storeOf(database, 'shortened', { fields: { title: z.string().max(100) }, sort: ['title'] })
      expect(await titlesOf(store, { tenant: 'a' })).toHaveLength(1)
    })

    it('keep long texts unique after the maximum length was reduced', async () => {
      const long = { fields: { title: z.string() }, unique: ['title'] }
      const short = { fields: { title: z.string().max(200) }, unique: ['title'] }
      await storeOf(database, 'uniques', long).create({ title: longText(3000) })
      const store = storeOf(database, 'uniques', short)
      await store.create({ title: 'a' })
      await expect(store.create({ title: 'a' })).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await indexesOf('uniques')).toEqual(['uniques.title unique hash', 'uniques_pkey'])

      await storeOf(database, 'unified', { fields: long.fields }).create({ title: longText(3000) })
      await storeOf(database, 'unified', short).ready()
      expect(await indexesOf('unified')).toEqual(['unified.title unique hash', 'unified_pkey'])
      await database.query('delete from unified')
      // PostgreSQL also indexes deleted rows while a new connection may still see them.
      await vi.waitFor(() => storeOf(database, 'unified', short).ready(), 10_000)
      expect(await indexesOf('unified')).toContain('unified.title unique')
    })

    it('keep combinations unique when the maximum length grows and shrinks', async () => {
      const of = (length: number) => ({
        fields: { one: z.string().max(length), two: z.string().max(length), size: z.int() },
        unique: [['one', 'two', 'size']],
      })
      const pair = { one: longText(500), two: longText(500, 2), size: 1 }
      await storeOf(database, 'pairs', of(100)).create({ ...pair, one: 'a', two: 'b' })
      expect(await indexesOf('pairs')).toEqual(['pairs.one,two,size unique', 'pairs_pkey'])
      const long = storeOf(database, 'pairs', of(500))
      await long.create(pair)
      await long.create({ ...pair, size: 2 })
      await expect(long.create(pair)).rejects.toMatchObject({
        message: 'the combination of one and two and size is taken',
      })
      expect(await indexesOf('pairs')).toEqual(['pairs.one,two,size unique hash', 'pairs_pkey'])
      await storeOf(database, 'pairs', of(100)).ready()
      expect(await indexesOf('pairs')).toEqual(['pairs.one,two,size unique hash', 'pairs_pkey'])
      await database.query('delete from pairs where length(one) > 100')
      await vi.waitFor(() => storeOf(database, 'pairs', of(100)).ready(), 10_000)
      expect(await indexesOf('pairs')).toContain('pairs.one,two,size unique')
    })

    it('make assigned fields unique as soon as their columns exist', async () => {
      const fields = { code: z.int() }
      const version = { fields, unique: ['ownerId', ['teamId', 'code']] }
      const store = storeOf(database, 'owned', version)
      await store.create({ code: 1, ownerId: null, teamId: null })
      await titlesOf(store, { teamId: 'x' })
      expect(await indexesOf('owned')).toEqual(['owned.team_id,code unique hash', 'owned.team_id,id cut', 'owned_pkey'])
      await store.create({ code: 1, ownerId: 7, teamId: 'x' })
      await expect(store.create({ code: 2, ownerId: 7, teamId: 'x' })).rejects.toMatchObject({
        message: 'another row has the same values',
        details: [{ code: 'NOT_UNIQUE', message: 'is taken', source: 'body' }],
      })
      await expect(store.create({ code: 1, ownerId: 8, teamId: 'x' })).rejects.toMatchObject({
        message: 'code is taken',
      })
      await storeOf(database, 'owned_later', { fields }).create({ code: 1, ownerId: 7, teamId: 'x' })
      await storeOf(database, 'owned_later', version).ready()
      expect(await indexesOf('owned_later')).toEqual([
        'owned_later.owner_id unique',
        'owned_later.team_id,code unique hash',
        'owned_later_pkey',
      ])
    })

    it('are created for fields that are assigned inside once', async () => {
      const store = storeOf(database, 'owned_once', { fields: { code: z.int() }, unique: [['ownerId', 'code']] })
      const make = (key: string) =>
        store.once({ key, print: key, seconds: 60 }, async (inner) =>
          String((await inner.create?.({ code: 1, ownerId: 'ada' }))?.id),
        )
      expect(await make('one')).toMatchObject({ isNew: true })
      await expect(make('two')).rejects.toMatchObject({ message: 'code is taken' })
      await expect(store.create({ code: 1, ownerId: 'ada' })).rejects.toMatchObject({ message: 'code is taken' })
    })

    it('cause a 400 for a text that the index of a newer version rejects', async () => {
      const old = storeOf(database, 'older', { fields: { title: z.string() } })
      await old.ready()
      await storeOf(database, 'older', { fields: { title: z.string().max(200) }, filter: ['title'] }).ready()
      await expect(old.create({ title: longText(3000) })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    })

    it('are dropped by the suggested SQL before a column changes its type', async () => {
      const before = { fields: { title: z.string() }, unique: ['title'], filter: ['title'] }
      await storeOf(database, 'retyped', before).create({ title: '5' })
      const after = { fields: { title: z.int() }, unique: ['title'], filter: ['title'] }
      const error = await storeOf(database, 'retyped', after).ready().catch(String)
      for (const line of String(error).split('\n')) if (line.startsWith('  ')) await database.query(line)
      await storeOf(database, 'retyped', after).ready()
      expect(await indexesOf('retyped')).toEqual(['retyped.title unique', 'retyped.title,id', 'retyped_pkey'])
      const pair = { unique: [['title', 'note']] }
      await storeOf(database, 'repaired', { fields: { ...before.fields, note: z.string() }, ...pair }).ready()
      const text = { fields: { ...after.fields, note: z.string() }, ...pair }
      const refusal = await storeOf(database, 'repaired', text).ready().catch(String)
      for (const line of String(refusal).split('\n')) if (line.startsWith('  ')) await database.query(line)
      await storeOf(database, 'repaired', text).ready()
      expect(await indexesOf('repaired')).toEqual(['repaired.title,note unique hash', 'repaired_pkey'])
    })

    it('are not required: a role that cannot create them can still read rows', async () => {
      const fields = { title: z.string().max(20) }
      const owner = storeOf(database, 'lent', { fields })
      await owner.create({ title: 'a', ownerId: 'ada' })
      const role = `lodger_${Math.random().toString(36).slice(2)}`
      await database.query(`create role ${role}`)
      await database.query(`grant select, insert, update, delete on lent to ${role}`)
      await database.query(`grant select, insert, update, delete on sdk_idempotency to ${role}`)
      const lodging: Database = {
        ...database,
        '~transaction': (work) =>
          database.transaction(async (transaction) => {
            await transaction.query(`set local role ${role}`)
            return work(transaction)
          }),
      }
      const lodger = storeOf(lodging, 'lent', { fields })
      expect(await titlesOf(lodger, { ownerId: 'ada' })).toEqual(['a'])
      expect(await indexesOf('lent')).toEqual(['lent_pkey'])
      expect(await titlesOf(owner, { ownerId: 'ada' })).toEqual(['a'])
      expect(await indexesOf('lent')).toEqual(['lent.owner_id,id cut', 'lent_pkey'])
      await database.query(`drop owned by ${role}`)
      await database.query(`drop role ${role}`)
    })
  })
}
