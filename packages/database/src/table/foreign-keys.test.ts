import { createApp, createResource, createRouter } from '@sdk/server'
import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase, table } from '../index.ts'

type Action = 'cascade' | 'restrict'

/** The stores of two resources, of which the second refers to the first, and the first to itself. */
function defineTables(database: Database, names: readonly [string, string], onDelete: Action | null) {
  const [parent, child] = names
  const schema = z.object({ title: z.string().max(20), parentId: z.int().nullable().optional() })
  const parents = createResource('parents', {
    schema,
    store: table(parent, { database }),
    access: 'public',
    references: { parentId: { to: 'parents', onDelete: 'restrict' } },
  })
  const children = createResource('children', {
    schema,
    store: table(child, { database }),
    access: 'public',
    ...(onDelete && { references: { parentId: { to: 'parents', onDelete } } }),
  })
  createApp({ router: createRouter().resource('v1', children).resource('v1', parents) })
  return { parents: parents.store, children: children.store }
}

describe.skipIf(!hasPostgres())('references of table()', () => {
  let database: Database
  beforeAll(async () => {
    database = openDatabase(await createDatabase())
  })
  afterAll(() => database.close())

  const keysOf = async (name: string): Promise<string[]> => {
    const rows = await database.query<{ text: string }>(
      `select conname || ': ' || pg_get_constraintdef(oid) as text from pg_constraint
       where conrelid = $1::regclass and contype = 'f' order by 1`,
      [name],
    )
    return rows.map(({ text }) => text)
  }

  it('are foreign keys with an index, created after all tables', async () => {
    const { children } = defineTables(database, ['as', 'bs'], 'cascade')
    await children.ready?.()
    expect(await keysOf('bs')).toEqual([
      'bs.parent_id cascade: FOREIGN KEY (parent_id) REFERENCES "as"(id) ON DELETE CASCADE',
    ])
    const indexes = await database.query(
      `select 1 from pg_indexes where tablename = 'bs' and indexname = 'bs.parent_id,id'`,
    )
    expect(indexes).toHaveLength(1)
    // The parent's own keys are created when it is used.
    expect(await keysOf('as')).toEqual([])
  })

  it('follow a changed action, and are created once by several processes', async () => {
    const all = Array.from({ length: 4 }, () => defineTables(database, ['as', 'bs'], 'restrict'))
    await Promise.all(all.flatMap(({ parents, children }) => [children, parents]).map(async (store) => store.ready?.()))
    expect(await keysOf('bs')).toEqual([
      'bs.parent_id restrict: FOREIGN KEY (parent_id) REFERENCES "as"(id) ON DELETE RESTRICT',
    ])
    expect(await keysOf('as')).toEqual([
      'as.parent_id restrict: FOREIGN KEY (parent_id) REFERENCES "as"(id) ON DELETE RESTRICT',
    ])
  })

  it('are refused while rows refer to rows that do not exist, with the SQL that deletes these', async () => {
    const before = defineTables(database, ['cs', 'ds'], null)
    const parent = await before.parents.create?.({ title: 'x' })
    await before.children.create?.({ title: 'orphan', parentId: 777 })
    await before.children.create?.({ title: 'child', parentId: parent?.id })
    const { children } = defineTables(database, ['cs', 'ds'], 'cascade')
    const error = await Promise.resolve(children.ready?.()).then(String, String)
    expect(error).toContain('the field parentId is now a reference')
    const [statement = ''] = /^ {2}(delete from .*);$/m.exec(error)?.slice(1) ?? []
    const planned = async (): Promise<unknown> =>
      (await children.plan?.())?.changes.map(({ kind, steps }) => [kind, steps[0]?.judgement])
    expect(await planned()).toEqual([['needed', 'loses data']])
    await database.query(statement)
    expect(await planned()).toEqual([['automatic', 'safe while the old version is running']])
    await children.ready?.()
    expect(await keysOf('ds')).toHaveLength(1)
    expect(await database.query('select title from ds')).toEqual([{ title: 'child' }])
  })

  it('are checked if a migration was interrupted before it had checked the rows', async () => {
    const before = defineTables(database, ['gs', 'hs'], null)
    await before.parents.ready?.()
    await before.children.create?.({ title: 'orphan', parentId: 777 })
    await database.query('create index "hs.parent_id,id" on hs (parent_id, id)')
    await database.query(`alter table hs add constraint "hs.parent_id cascade"
      foreign key (parent_id) references gs (id) on delete cascade not valid`)
    const { children } = defineTables(database, ['gs', 'hs'], 'cascade')
    await expect(Promise.resolve(children.ready?.())).rejects.toThrow('the field parentId is now a reference')
    await database.query('delete from hs')
    const plan = await children.plan?.()
    const statements = plan?.changes.flatMap(({ steps }) => steps.map(({ sql }) => sql))
    expect(statements).toEqual(['alter table "hs" validate constraint "hs.parent_id cascade"'])
    await children.ready?.()
    expect(await keysOf('hs')).toEqual([expect.not.stringContaining('NOT VALID')])
  })

  it('are planned before the other table exists', async () => {
    const { children } = defineTables(database, ['es', 'fs'], null)
    await children.create?.({ title: 'x', parentId: null })
    const { changes = [] } = (await defineTables(database, ['es', 'fs'], 'cascade').children.plan?.()) ?? {}
    expect(changes.map(({ kind }) => kind)).toEqual(['automatic', 'automatic'])
  })

  it('reject ids that the store itself did not check with 400', async () => {
    const { children } = defineTables(database, ['as', 'bs'], 'restrict')
    await expect(children.create?.({ title: 'x', parentId: 777 })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ code: 'REFERENCED', pointer: '/parentId' }],
    })
  })
})
