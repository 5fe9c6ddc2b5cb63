import type { PlannedStep, Store } from '@sdk/server'
import { createLog } from '@sdk/server'
import { ONE_KIND } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase } from '../index.ts'
import { rowsOf, storeOf, type Version } from '../table/table.test.fixture.ts'
import { applyFiles } from './apply-migrations.ts'
import { addReference } from './expand-contract.ts'
import { parseMigration } from './migration-file.ts'

const title = z.string().max(100)
const BASE: Version = { fields: { title } }
const DIRECTIVES = { transaction: '', 'no transaction': '-- no transaction\n', batches: '-- in batches\n' }

interface Sequence {
  readonly what: string
  readonly from: Version
  /** The version of the plan, if the new version differs from it. */
  readonly planned?: Version
  readonly to: Version
  readonly rows: readonly Record<string, unknown>[]
  /** Rows that the versions write while both run. */
  readonly old: Record<string, unknown>
  readonly fresh: Record<string, unknown>
  /** Whether the old version must have stopped writing empty values. */
  readonly isOldGone?: boolean
  readonly judgements: string
  /** The rows in the end, for the new version. */
  readonly end: readonly Record<string, unknown>[]
}

const SEQUENCES: readonly Sequence[] = [
  {
    what: 'a required field is added',
    from: BASE,
    to: { fields: { title, language: title } },
    rows: [{ title: 'a' }],
    old: { title: 'b' },
    fresh: { title: 'c', language: 'de' },
    judgements: 'safe later',
    end: [{ language: '' }, { language: '' }, { language: 'de' }],
  },
  {
    what: 'a required and unique field is added',
    from: BASE,
    to: { fields: { title, code: z.int() }, unique: ['code'] },
    rows: [{ title: 'a' }],
    old: { title: 'b' },
    fresh: { title: 'c', code: 77 },
    isOldGone: true,
    judgements: 'safe later/batches later later later later safe/no transaction',
    end: [{ code: 1 }, { code: 77 }],
  },
  {
    what: 'a field becomes required',
    from: { fields: { title, note: title.nullable() } },
    to: { fields: { title, note: title } },
    rows: [{ title: 'a', note: null }],
    old: { title: 'b', note: 'b' },
    fresh: { title: 'c', note: 'c' },
    isOldGone: true,
    judgements: 'later/batches later later later later',
    end: [{ note: '' }, { note: 'c' }],
  },
  {
    what: 'a field is renamed',
    from: { fields: { title, size: z.int() } },
    to: { fields: { label: title, size: z.int() } },
    rows: [{ title: 'a', size: 1 }],
    old: { title: 'b', size: 2 },
    fresh: { label: 'c', size: 3 },
    judgements: 'safe safe safe safe/batches later later later later later loss',
    end: [{ label: 'a' }, { label: 'b' }, { label: 'c' }],
  },
  {
    what: 'a type changes',
    from: { fields: { title, size: z.int() } },
    planned: { fields: { title, size: z.number() } },
    to: { fields: { title, size: z.number() }, columns: { size: 'size_number' } },
    rows: [{ title: 'a', size: 1 }],
    old: { title: 'b', size: 2 },
    fresh: { title: 'c', size: 3.4 },
    judgements: 'safe safe safe safe/batches later later later later later loss',
    end: [{ size: 1 }, { size: 2 }, { size: 3.4 }],
  },
  {
    what: 'a type changes, planned with the mapping',
    from: { fields: { title, size: title } },
    to: { fields: { title, size: z.int().nullable() }, columns: { size: 'size_integer' } },
    rows: [{ title: 'a', size: '1' }],
    old: { title: 'b', size: 'no number' },
    fresh: { title: 'c', size: 3 },
    judgements: 'safe safe safe safe/batches later loss',
    end: [{ size: 1 }, { size: null }, { size: 3 }],
  },
  {
    what: 'a required field is removed',
    from: { fields: { title, size: z.int() } },
    to: BASE,
    rows: [{ title: 'a', size: 1 }],
    old: { title: 'b', size: 2 },
    fresh: { title: 'c' },
    judgements: 'safe loss',
    end: [{ title: 'a' }, { title: 'b' }, { title: 'c' }],
  },
  {
    what: 'a field becomes unique',
    from: BASE,
    to: { ...BASE, unique: ['title'] },
    rows: [{ title: 'a' }],
    old: { title: 'b' },
    fresh: { title: 'c' },
    judgements: 'safe/no transaction',
    end: [{ title: 'a' }, { title: 'b' }, { title: 'c' }],
  },
]

const SHORT = {
  'safe while the old version is running': 'safe',
  'requires the old version to be stopped': 'later',
  'loses data': 'loss',
}

for (const { kind, isHere, open } of ONE_KIND) {
  describe.skipIf(!isHere)(`the steps of a plan on ${kind}`, () => {
    let database: Database
    let count = 0
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    const files: string[] = []
    /** Applies steps as a further file. */
    async function apply(steps: readonly PlannedStep[]): Promise<void> {
      files.push(steps.map(({ sql, mode }) => `-- step\n${DIRECTIVES[mode]}${sql};\n`).join(''))
      const parsed = files.map((text, index) => parseMigration(`${String(index).padStart(4, '0')}-x.sql`, text))
      await applyFiles(database, parsed, createLog({ write: () => {} }))
    }

    const planOf = async (store: Required<Store>): Promise<PlannedStep[]> =>
      (await store.plan()).changes.flatMap(({ steps }) => steps)

    it.each(SEQUENCES)('work with both versions if $what', async (sequence) => {
      const { from, to, rows, old: oldRow, fresh, judgements, end, isOldGone = false, planned = to } = sequence
      const name = `steps_${(count += 1)}`
      const old = storeOf(database, name, from)
      await old.ready()
      for (const row of rows) await old.create(row)

      const steps = await planOf(storeOf(database, name, planned))
      const toMode = (mode: string): string => (mode === 'transaction' ? '' : `/${mode}`)
      expect(steps.map(({ judgement, mode }) => `${SHORT[judgement]}${toMode(mode)}`).join(' ')).toBe(judgements)
      await apply(steps.filter(({ judgement }) => isOldGone || judgement === 'safe while the old version is running'))
      const next = storeOf(database, name, to)
      await next.ready()
      for (const row of isOldGone ? [] : [oldRow]) {
        expect(await old.create(row)).toMatchObject(row)
        expect(await old.replace({ id: 1, where: {} }, rows[0] ?? {})).toMatchObject(rows[0] ?? {})
      }
      expect(await next.create(fresh)).toMatchObject(fresh)
      expect(await rowsOf(isOldGone ? next : old)).toHaveLength(end.length)

      const later = await planOf(next)
      await apply(later.filter(({ judgement }) => judgement === 'requires the old version to be stopped'))
      await apply(await planOf(next))
      const last = storeOf(database, name, to)
      await last.ready()
      expect(await planOf(last)).toEqual([])
      expect(await rowsOf(last)).toMatchObject(end)
      expect(await database.query(`select 1 from ${name} where version > 2`)).toEqual([])
    })

    it('asks whether a field was renamed, and offers to keep the column first', async () => {
      const name = `steps_${(count += 1)}`
      await storeOf(database, name, BASE).create({ title: 'a' })
      const fields = { label: title }
      const { changes } = await storeOf(database, name, { fields }).plan()
      expect(changes[1]?.question?.text).toContain('renamed to')
      expect(changes[1]?.question?.alternative).toEqual([
        `keep the column: table('${name}', { columns: { label: 'title' } })`,
        `after the old version has stopped: alter table "${name}" rename column "title" to "label";`,
        `if label is new: alter table "${name}" add column if not exists "label" text collate "C" not null default '';`,
      ])
      const mapped = storeOf(database, name, { fields, columns: { label: 'title' }, sort: ['label'] })
      await mapped.ready()
      await mapped.create({ label: 'b', ownerId: 'ada' })
      expect(await rowsOf(mapped)).toEqual([
        { id: 1, label: 'a' },
        { id: 2, label: 'b' },
      ])
      expect(await mapped.get({ id: 2, where: { ownerId: 'ada' } })).toMatchObject({ label: 'b' })
      expect((await mapped.plan()).changes).toEqual([])
    })

    it('asks about an optional field too, but does not copy what may be of another field', async () => {
      const name = `steps_${(count += 1)}`
      const before: Version = { fields: { title, note: title.nullable() } }
      await storeOf(database, name, before).create({ title: 'a', note: 'x' })
      const { changes } = await storeOf(database, name, { fields: { title, remark: title.nullable() } }).plan()
      expect(changes[0]).toMatchObject({
        kind: 'automatic',
        steps: [{ sql: `alter table "${name}" add column if not exists "remark" text collate "C"` }],
        question: {
          alternative: expect.arrayContaining([expect.stringContaining('copy the values: update')]) as string[],
        },
      })
      expect(changes[1]).toMatchObject({ kind: 'cleanup', what: expect.stringContaining('column note') as string })
    })

    it('asks about a field with a default too, and offers to copy the old values', async () => {
      const name = `steps_${(count += 1)}`
      const before: Version = { fields: { title, note: title.default('') } }
      await storeOf(database, name, before).create({ title: 'a', note: 'x' })
      const next = storeOf(database, name, { fields: { title, remark: title.default("it's new") } })
      const [, , copy = ''] = (await next.plan()).changes[0]?.question?.alternative ?? []
      expect(copy).toBe(`copy the values: update "${name}" set "remark" = "note" where "remark" = 'it''s new';`)
      await next.ready()
      await database.query(copy.replace(/^.*?: /, ''))
      expect(await rowsOf(next)).toMatchObject([{ title: 'a', remark: 'x' }])
    })

    it('does not offer to drop the column of an access rule', async () => {
      const name = `steps_${(count += 1)}`
      const store = storeOf(database, name, BASE)
      await store.create({ title: 'a', ownerId: 'ada' })
      await store.get({ id: 1, where: { ownerId: 'ada' } })
      expect((await storeOf(database, name, BASE).plan()).changes).toEqual([])
    })

    it('adds a reference', async () => {
      const [parent, child] = [`steps_${(count += 1)}`, `steps_${(count += 1)}`]
      await storeOf(database, parent, BASE).create({ title: 'a' })
      const store = storeOf(database, child, { fields: { parentId: z.int() } })
      await store.create({ parentId: 1 })
      await apply(addReference(child, { field: 'parentId', column: 'parent_id', parent, onDelete: 'cascade' }))
      await expect(store.create({ parentId: 2 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
      await database.query(`delete from ${parent}`)
      expect(await rowsOf(store)).toEqual([])
    })
  })
}
