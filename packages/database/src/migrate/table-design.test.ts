import type { Field, ResourceShape } from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type TableColumn, toColumnName, toRuleIndexes, toTableDesign } from './table-design.ts'
import { openDatabase, table } from '../index.ts'

const field = (name: string): Field => ({ name, type: 'string', isNullable: true, maxLength: 10 })

function shapeOf(names: readonly string[]): ResourceShape {
  return { name: 'things', fields: names.map(field), filter: names, sort: names, unique: names.map((name) => [name]) }
}

const OWNER: TableColumn = {
  field: 'ownerId',
  name: 'owner_id',
  type: 'string',
  isNullable: true,
  default: null,
  maxOctets: 480,
  isUnique: false,
}

describe('toColumnName', () => {
  it.each([
    ['title', 'title'],
    ['dueDate', 'due_date'],
    ['homeURL', 'home_url'],
    ['homeURLPath', 'home_url_path'],
    ['line2Text', 'line2_text'],
    ['aB', 'a_b'],
  ])('converts %s to %s', (name, column) => {
    expect(toColumnName(name)).toBe(column)
  })

  it('returns names that PostgreSQL does not truncate', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,62}$/), (name) => {
        expect(toColumnName(name)).toMatch(/^[a-z][a-z0-9_]{0,62}$/)
      }),
    )
  })

  it('distinguishes long names by their ends', () => {
    const long = 'aB'.repeat(31)
    expect(toColumnName(`${long}c`)).not.toBe(toColumnName(`${long}d`))
  })
})

describe('toTableDesign', () => {
  it('stores a field in the column that it is mapped to', () => {
    const shape = { ...shapeOf(['label', 'size']), filter: [], sort: ['label'], unique: [] }
    const design = toTableDesign('things', shape, { label: 'title' })
    expect(design.columns.map((column) => [column.field, column.name])).toEqual([
      ['label', 'title'],
      ['size', 'size'],
    ])
    expect(design.indexes.map(({ columns }) => columns)).toEqual([['title', 'id']])
    expect(toRuleIndexes(design, OWNER, shape).map(({ columns }) => columns)).toContainEqual([
      'owner_id',
      'title',
      'id',
    ])
  })

  it.each([
    [{ other: 'title' }, /columns contains other, which is not a field/],
    [{ label: 'Title' }, /the column name for label must be in snake_case, such as due_date, got "Title"/],
    [{ label: 'a"; drop table x' }, /must be in snake_case/],
    [{ label: 7 }, /must be in snake_case.*got 7/],
    [{ label: 'size' }, /would both be stored in the column size/],
    [{ label: 'version' }, /would both be stored/],
    [{ label: 'xmin' }, /system column/],
  ])('rejects the mapping %j', (names, message) => {
    expect(() => toTableDesign('things', shapeOf(['label', 'size']), names as never)).toThrow(message)
  })

  it('gives every index a different name, even if the names are long', async () => {
    const name = 't'.repeat(63)
    const fields = ['a', 'b'].map((letter) => `${letter}${'Word'.repeat(15)}`)
    const shape = shapeOf(fields)
    const design = toTableDesign(name, shape)
    const indexes = [...design.indexes, ...toRuleIndexes(design, OWNER, shape)].map((index) => index.name)
    expect(indexes).toHaveLength(7)
    expect(new Set(indexes.map((index) => index.slice(0, 63))).size).toBe(7)

    const database = openDatabase(await emptyDatabase())
    const store = table(name, { database })(shape)
    const values = Object.fromEntries(fields.map((one) => [one, one]))
    expect(await store.create?.({ ...values, ownerId: 'ada' })).toMatchObject(values)
    expect(await store.get?.({ id: 1, where: { ownerId: 'ada' } })).toMatchObject(values)
    expect(await database.query('select indexname from pg_indexes where tablename = $1', [name])).toHaveLength(8)
    await database.close()
  })

  it.each(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'])('rejects %s, which every table has', (name) => {
    expect(() => toTableDesign('things', shapeOf([name]))).toThrow(TypeError)
  })

  it('gives the indexes of two tables different names', () => {
    const namesOf = (name: string, column: string) =>
      toTableDesign(name, shapeOf([column])).indexes.map((index) => index.name)
    const taken = new Set(namesOf('a', 'bC'))
    expect(namesOf('a_b', 'c').filter((name) => taken.has(name))).toEqual([])
  })
})

describe('toRuleIndexes', () => {
  it('omits sort orders that do not fit into an index', () => {
    const lengths = { title: 480, code: 481, note: undefined }
    const fields = Object.entries(lengths).map(([name, maxLength]) => ({ ...field(name), maxLength }))
    const shape = { ...shapeOf([]), fields, sort: ['title', 'code', 'note', 'createdAt', 'id'] }
    const indexes = toRuleIndexes(toTableDesign('things', shape), OWNER, shape)
    expect(indexes.map(({ columns }) => columns.join())).toEqual([
      'owner_id,id',
      'owner_id,title,id',
      'owner_id,created_at,id',
    ])
  })
})
