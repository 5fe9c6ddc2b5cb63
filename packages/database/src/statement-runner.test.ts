import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from './index.ts'
import type { RunStatement } from './table-layout.ts'
import { createStatementRunner, runTransaction } from './statement-runner.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`prepared statements on ${kind}`, () => {
    let database: Database
    let count = 0
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    /** Creates a table with a row, and two functions that read it with a prepared statement. */
    async function begin() {
      count += 1
      const name = `numbers_${count}`
      await database.query(`create table ${name} (number bigint)`)
      await database.query(`insert into ${name} values (1)`)
      const statement = { name: `read_${name}`, text: `select number::text, number as raw from ${name}`, values: [] }
      const numberOf = async (run: RunStatement): Promise<unknown> => (await run(statement))[0]?.['number']
      return {
        name,
        statement,
        plain: () => numberOf(createStatementRunner(database)),
        inside: () => runTransaction(database, numberOf),
      }
    }
    const preparedNames = async (): Promise<string[]> => {
      const rows = await database.query<{ name: string }>(
        `select name from pg_prepared_statements where name like 'read_%'`,
      )
      return rows.map(({ name }) => name)
    }

    it('are prepared again after a column changed its type', async () => {
      const { name, plain, inside } = await begin()
      expect(await inside()).toBe('1')
      await database.query(`alter table ${name} alter column number type double precision`)
      expect(await inside()).toBe('1')
      await database.query(`alter table ${name} alter column number type numeric`)
      expect([await plain(), await inside(), await inside()]).toEqual(['1', '1', '1'])
      expect((await preparedNames()).some((prepared) => prepared.startsWith(`read_${name}_`))).toBe(true)
    })

    it('make a joined transaction run again', async () => {
      const { name, plain } = await begin()
      await plain()
      await database.query(`alter table ${name} alter column number type double precision`)
      let attempts = 0
      const work = database.transaction(async () => {
        attempts += 1
        return plain()
      })
      expect(await work).toBe('1')
      expect(attempts).toBe(2)
    })

    it('are run again even if the error was caught inside the transaction', async () => {
      const { name, statement, inside } = await begin()
      await inside()
      await database.query(`alter table ${name} alter column number type double precision`)
      let attempts = 0
      const work = runTransaction(database, async (run) => {
        attempts += 1
        return (await run(statement).catch(() => [])).length
      })
      expect(await work).toBe(1)
      expect(attempts).toBe(2)
    })

    it('are no longer used if connections keep losing them, as behind a pooler', async () => {
      const { plain, inside } = await begin()
      for (const read of [plain, inside, plain, inside, plain]) {
        expect(await read()).toBe('1')
        await database.query('deallocate all')
      }
      expect([await plain(), await inside()]).toEqual(['1', '1'])
      expect(await preparedNames()).toEqual([])
    })

    it('are run again once after a deadlock', async () => {
      let attempts = 0
      const racing = (failures: number) =>
        runTransaction(database, async (run) => {
          attempts += 1
          if (attempts <= failures) await run({ text: RACE, values: [] })
          return attempts
        })
      expect(await racing(1)).toBe(2)
      attempts = 0
      await expect(racing(2)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 })
      expect(attempts).toBe(2)
    })
  })
}

const RACE = `do $$ begin raise exception 'one of two' using errcode = '40P01'; end $$`
