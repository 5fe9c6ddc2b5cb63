import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDatabase, type Database } from './index.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`an SQL error on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
      await database.query('create table notes (title text unique)')
    })
    afterAll(() => database.close())

    const fail = async (work: Promise<unknown>): Promise<Error> =>
      work.then(
        () => new Error('it did not fail'),
        (error: Error) => error,
      )

    it('has the statement and the hint of PostgreSQL in its stack, but no values', async () => {
      const error = await fail(database.query('select titel from notes where title = $1', ['secret']))
      expect(error.message).toBe('column "titel" does not exist')
      expect(error.stack).toContain('\n  hint: Perhaps you meant to reference the column "notes.title".')
      expect(error.stack).toContain('\n  position: line 1, column 8\n')
      expect(error.stack).toContain('\n  statement: select titel from notes where title = $1\n    at ')
      expect(error.stack).not.toContain('secret')
    })

    it('has the line and the column of a mistake, after characters of any length', async () => {
      const error = await fail(database.query(`select '🫖é',\n  '🫖', titel from notes`))
      expect(error.stack).toContain('position: line 2, column 8')
    })

    it('has the location of the caller in its stack in development', async () => {
      vi.stubEnv('NODE_ENV', 'development')
      const errors = [
        await fail(database.query('select nothing from nowhere')),
        await fail(database.transaction((transaction) => transaction.query('select nothing from nowhere'))),
        await fail(database.transaction(() => database.query('select nothing from nowhere'))),
      ]
      for (const { stack } of errors) expect(stack).toMatch(/statement: [^\n]*\n {4}at [^\n]*sql-error\.test\.ts:\d+/)
    })
  })
}
