import { ONE_KIND } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createResource } from '@sdk/server'
import { z } from 'zod'
import { type Database, openDatabase, table } from '../index.ts'
import { ALL } from './table.test.fixture.ts'

for (const { kind, isHere, open } of ONE_KIND) {
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

    it('are those of the row in any date style and time zone', async () => {
      const schema = z.object({ title: z.string(), at: z.iso.datetime().nullable(), day: z.iso.date() })
      const { store } = createResource('days', { schema, store: table('days', { database }), access: 'public' })
      await store.create?.({ title: 'a,b', at: '2026-05-06T07:08:09.123Z', day: '2026-05-06' })
      await database.transaction(async (tx) => {
        await tx.query(`set local datestyle = 'German'`)
        await tx.query(`set local timezone = 'Asia/Kolkata'`)
        const [row] = (await store.list?.(ALL))?.rows ?? []
        expect(row).toMatchObject({ title: 'a,b', at: '2026-05-06T07:08:09.123Z', day: '2026-05-06' })
        expect(row).toEqual(await store.get?.({ id: 1, where: {} }))
      })
    })
  })

  describe.skipIf(!isHere)(`texts in a list on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    it('are those of the row, also if another version allows null', async () => {
      const schema = z.object({ title: z.string(), done: z.boolean(), note: z.string() })
      const { store } = createResource('texts', { schema, store: table('texts', { database }), access: 'public' })
      const titles = ['', ',', ',,', ',7,,b', 'a,,b', 't,3,1,1', 'ä,€,\u{1f600}', 'a\nb']
      for (const title of titles) await store.create?.({ title, done: true, note: `${title},` })
      const expectSame = async (): Promise<void> => {
        for (const query of [ALL, { ...ALL, maxBytes: 100_000 }]) {
          const { rows = [] } = (await store.list?.(query)) ?? {}
          expect(rows).toHaveLength(titles.length)
          for (const row of rows) expect(row).toEqual(await store.get?.({ id: row.id, where: {} }))
        }
      }
      await expectSame()
      await database.query('alter table texts alter column title drop not null, alter column done drop not null')
      for (const column of ['title', 'done']) {
        for (let id = 1; id <= titles.length; id++) {
          await database.query(`update texts set ${column} = null where id = $1`, [id])
          await expectSame()
          await database.query(`update texts set title = $2, done = true where id = $1`, [id, titles[id - 1]])
        }
      }
    })
  })

  describe.skipIf(!isHere)(`values in a list on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    it('are those of the row if another version allows null, and if a number is not finite', async () => {
      const schema = z.object({ size: z.number(), done: z.boolean(), count: z.number().int() })
      const { store } = createResource('sizes', { schema, store: table('sizes', { database }), access: 'public' })
      for (const count of [-1, 2, 2 ** 53 - 1]) await store.create?.({ size: count / 4, done: count > 0, count })
      const expectSame = async (): Promise<void> => {
        const { rows = [] } = (await store.list?.(ALL)) ?? {}
        expect(rows).toHaveLength(3)
        for (const row of rows) expect(row).toEqual(await store.get?.({ id: row.id, where: {} }))
        expect(await store.list?.({ ...ALL, maxBytes: 300 })).toEqual({ rows: rows.slice(0, 1), isCut: true })
      }
      await expectSame()
      await database.query('alter table sizes alter column done drop not null')
      await database.query('update sizes set done = null where id = 1')
      await expectSame()
      await database.query(`update sizes set size = 'NaN', done = true where id = 1`)
      await expectSame()
      await database.query(`update sizes set size = '-Infinity' where id = 2`)
      await expectSame()
    })
  })
}
