import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createResource } from '@sdk/server'
import { z } from 'zod'
import { type Database, openDatabase, table } from '../index.ts'
import { ALL } from './table.test.fixture.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`times in a list on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    it('are those of the row, whether it was changed or not, and for unusual times', async () => {
      const schema = z.object({ title: z.string() })
      const { store } = createResource('notes', { schema, store: table('notes', { database }), access: 'public' })
      for (let at = 0; at < 5; at++) await store.create?.({ title: `${at}` })
      await store.replace?.({ id: 2, where: {} }, { title: 'new' })
      await database.query(`update notes set created_at = 'infinity', updated_at = 'infinity' where id = 3`)
      await database.query(`update notes set updated_at = '0044-03-15 10:00:00+00 BC' where id = 4`)
      await database.query(`update notes set updated_at = created_at - interval '1 ms' where id = 5`)
      const { rows = [] } = (await store.list?.(ALL)) ?? {}
      for (const row of rows) expect(row).toEqual(await store.get?.({ id: row.id, where: {} }))
      expect(rows.map(({ createdAt, updatedAt }) => createdAt === updatedAt)).toEqual([true, false, true, false, false])
      expect((await store.list?.({ ...ALL, maxBytes: 100_000 }))?.rows).toEqual(rows)
    })
  })
}
