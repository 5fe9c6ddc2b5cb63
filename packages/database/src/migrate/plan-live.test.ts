import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../index.ts'
import { liveTable, watch } from '../live/live-table.test.fixture.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`the migration of a live table on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    const triggersOf = async (table: string): Promise<unknown[]> => {
      const sql = 'select tgname from pg_trigger where tgrelid = $1::regclass and not tgisinternal order by tgname'
      return (await database.query<{ tgname: string }>(sql, [table])).map(({ tgname }) => tgname)
    }
    const ALL_TRIGGERS = ['sdk_live_delete', 'sdk_live_insert', 'sdk_live_truncate', 'sdk_live_update']

    it('creates triggers only if the resource is live', async () => {
      await liveTable(database, 'still', { isLive: false }).ready()
      await liveTable(database, 'moving').ready()
      expect(await triggersOf('still')).toEqual([])
      expect(await triggersOf('moving')).toEqual(ALL_TRIGGERS)
    })

    it('adds the triggers to an existing table automatically, and plans them in safe steps', async () => {
      await liveTable(database, 'things', { isLive: false }).ready()
      const store = liveTable(database, 'things')
      const { changes } = await store.plan()
      expect(changes).toMatchObject([{ what: expect.stringContaining('the resource is live'), kind: 'automatic' }])
      const steps = changes.flatMap((change) => change.steps)
      expect(new Set(steps.map(({ judgement }) => judgement))).toEqual(
        new Set(['safe while the old version is running']),
      )
      // The planned SQL is complete, and can be applied before and after the app has started.
      for (const { sql } of steps) await database.query(sql)
      expect(await triggersOf('things')).toEqual(ALL_TRIGGERS)
      expect(await store.plan()).toEqual({ table: 'things', changes: [] })
      await database.query('drop trigger sdk_live_update on things')
      await store.ready()
      expect(await triggersOf('things')).toEqual(ALL_TRIGGERS)
      for (const { sql } of steps) await database.query(sql)
      const announced = await watch(store, database.query)
      await store.create({ title: 'a' })
      await expect.poll(() => announced.changes).toEqual([[1]])
      announced.stop()
    })

    it('plans a new table with its triggers', async () => {
      const { changes } = await liveTable(database, 'planned').plan()
      for (const { sql } of changes.flatMap(({ steps }) => steps)) await database.query(sql)
      expect(await triggersOf('planned')).toEqual(ALL_TRIGGERS)
    })

    it('keeps the triggers of a resource that is no longer live until the cleanup', async () => {
      await liveTable(database, 'former').ready()
      const store = liveTable(database, 'former', { isLive: false })
      await store.ready()
      expect(await triggersOf('former')).toEqual(ALL_TRIGGERS)
      const { changes } = await store.plan()
      expect(changes).toMatchObject([
        { kind: 'cleanup', steps: [{ judgement: 'requires the old version to be stopped', mode: 'transaction' }] },
      ])
      for (const { sql } of changes.flatMap(({ steps }) => steps)) await database.query(sql)
      expect(await triggersOf('former')).toEqual([])
      expect((await store.plan()).changes).toEqual([])
    })
  })
}
