import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../index.ts'
import { ALL } from '../table/table.test.fixture.ts'
import { liveTable } from './live-table.test.fixture.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`recordTables on ${kind}`, () => {
    let database: Database
    const tablesOf = async (work: () => Promise<unknown>): Promise<readonly string[]> =>
      (await liveTable(database, 'things').recordTables(work)).tables.toSorted()
    beforeAll(async () => {
      database = await open(openDatabase)
      await database.query('create table members (team bigint, person text)')
      await database.query('create table "My ""Teams""" (id bigint)')
      await liveTable(database, 'things').ready()
    })
    afterAll(() => database.close())

    it('returns the result, and the tables that queries, stores and transactions read', async () => {
      const things = liveTable(database, 'things')
      await things.ready()
      const { value, tables } = await things.recordTables(async () => {
        await things.list(ALL)
        await database.query('select team from members where person = $1 and team = any($2::bigint[])', ['ada', [7]])
        return database.transaction(({ query }) =>
          query('select 7 as n from "My ""Teams""" right join (select 1) one on true'),
        )
      })
      expect(value).toEqual([{ n: 7 }])
      expect(tables.toSorted()).toEqual(['My "Teams"', 'members', 'things'])
    })

    it('returns the tables of views, but not those of functions', async () => {
      await database.query('create view teams as select team from members')
      await database.query(`create function count_members() returns bigint language plpgsql as
        $$ begin return (select count(*) from members); end $$`)
      expect(await tablesOf(() => database.query('select * from teams'))).toEqual(['members'])
      expect(await tablesOf(() => database.query('select count_members()'))).toEqual([])
    })

    it('runs no statement a second time, and ignores those that cannot be explained', async () => {
      await tablesOf(() => database.query(`insert into members values (1, 'ada')`))
      await tablesOf(() => database.query(`select 1; insert into members values (2, 'ada')`))
      expect(await tablesOf(() => database.query('set work_mem = 1000'))).toEqual([])
      expect(await database.query('select team from members')).toEqual([{ team: 1 }, { team: 2 }])
    })

    it('records nothing outside of its function, and rejects as it does', async () => {
      await database.query('select * from members')
      expect(await tablesOf(() => Promise.resolve())).toEqual([])
      const failing = (): Promise<never> => Promise.reject(new Error('no'))
      await expect(tablesOf(failing)).rejects.toThrow('no')
    })
  })
}

describe('readFirst', () => {
  it('reads from an embedded database before the calls that wait for it', async () => {
    const database = openDatabase('pglite://memory')
    const store = liveTable(database, 'things')
    await store.ready()
    const order: string[] = []
    const slow = Array.from({ length: 5 }, (_, n) => database.query('select 1').then(() => order.push(`slow ${n}`)))
    const list = store.readFirst(() => store.list(ALL)).then(() => order.push('first'))
    await Promise.all([...slow, list])
    expect(order.indexOf('first')).toBeLessThan(2)
    expect(order).toHaveLength(6)
    await database.close()
  })
})
