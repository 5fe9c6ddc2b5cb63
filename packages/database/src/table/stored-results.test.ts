import { createDatabase, DATABASE_KINDS, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createResultsTable, runOnce } from './stored-results.ts'
import { type Database, openDatabase, type Queryable } from '../index.ts'
import type { RunStatement } from '../table-layout.ts'

const runOn =
  (queryable: Queryable): RunStatement =>
  ({ text, values }) =>
    queryable.query(text, values)

const KEY = { key: 'a', print: 'one', seconds: 60 }

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`runOnce on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
      await Promise.all([1, 2, 3, 4].map(() => createResultsTable(runOn(database))))
      await database.query('create table effects (text text)')
    })
    beforeEach(() => database.query('truncate sdk_idempotency, effects'))
    afterAll(() => database.close())

    const once = (key = KEY, text = 'done') =>
      database.transaction((transaction) =>
        runOnce(runOn(transaction), key, async (run) => {
          await run({ text: 'insert into effects values ($1)', values: [text] })
          return text
        }),
      )
    const effects = async () =>
      (await database.query<{ text: string }>('select text from effects')).map((row) => row.text)

    it('runs the work once and returns its result later', async () => {
      expect(await once()).toEqual({ isNew: true, print: 'one', value: 'done' })
      expect(await once(KEY, 'again')).toEqual({ isNew: false, print: 'one', value: 'done' })
      expect(await effects()).toEqual(['done'])
    })

    it('returns the print of the completed work', async () => {
      await once()
      expect(await once({ ...KEY, print: 'two' })).toEqual({ isNew: false, print: 'one', value: 'done' })
    })

    it('stores nothing if the work fails, so that the next call runs it', async () => {
      const failing = database.transaction((transaction) =>
        runOnce(runOn(transaction), KEY, async (run) => {
          await run({ text: `insert into effects values ('lost')`, values: [] })
          throw new Error('no')
        }),
      )
      await expect(failing).rejects.toThrow('no')
      expect(await database.query('select * from sdk_idempotency')).toEqual([])
      expect(await once()).toMatchObject({ isNew: true })
      expect(await effects()).toEqual(['done'])
    })

    it('runs the work of concurrent calls once', async () => {
      const results = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => once(KEY, text)))
      const [done] = await effects()
      expect(await effects()).toHaveLength(1)
      expect(results.filter(({ isNew }) => isNew)).toHaveLength(1)
      expect(new Set(results.map(({ value }) => value))).toEqual(new Set([done]))
    })

    it('runs the work again after its result has expired', async () => {
      await once()
      await database.query(`update sdk_idempotency set expires_at = now() - interval '1 second'`)
      expect(await once({ ...KEY, print: 'two' }, 'again')).toEqual({ isNew: true, print: 'two', value: 'again' })
      expect(await once()).toEqual({ isNew: false, print: 'two', value: 'again' })
    })

    it('deletes expired results, a few at a time', async () => {
      await database.query(
        `insert into sdk_idempotency select 'old' || n, '', '', now() - interval '1 day' from generate_series(1, 5) n`,
      )
      const left = async () => (await database.query(`select key from sdk_idempotency where key like 'old%'`)).length
      await once({ ...KEY, key: 'b' })
      expect(await left()).toBe(3)
      await once({ ...KEY, key: 'c' })
      await once({ ...KEY, key: 'd' })
      expect(await left()).toBe(0)
      expect(await database.query('select key from sdk_idempotency order by key')).toEqual([
        { key: 'b' },
        { key: 'c' },
        { key: 'd' },
      ])
    })
  })
}

describe.skipIf(!hasPostgres())('createResultsTable from several processes', () => {
  it('creates one table', async () => {
    const url = await createDatabase()
    const databases = Array.from({ length: 6 }, () => openDatabase(url))
    await Promise.all(databases.map((database) => database.ready()))
    await Promise.all(databases.map((database) => createResultsTable(runOn(database))))
    const [first] = databases
    expect(await first?.query('select * from sdk_idempotency')).toEqual([])
    await Promise.all(databases.map((database) => database.close()))
  })
})
