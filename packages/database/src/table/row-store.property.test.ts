import type { PGlite } from '@electric-sql/pglite'
import type { CursorValue } from '@sdk/protocol'
import type { Condition, Fields, ListQuery, Row, SortKey } from '@sdk/server'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPglite } from '../pglite/create-pglite.test.fixture.ts'
import type { Layout } from '../table-layout.ts'
import { createRowStore, type RowStore } from './row-store.ts'

const LAYOUT: Layout = {
  table: '"walked"',
  columns: [
    { field: 'id', name: 'id', type: 'integer' },
    { field: 'text', name: 'text', type: 'string' },
    { field: 'number', name: 'number', type: 'number' },
    { field: 'count', name: 'count', type: 'integer', isNullable: false },
    { field: 'isDone', name: 'is_done', type: 'boolean' },
    { field: 'dueAt', name: 'due_at', type: 'timestamp' },
    { field: 'createdAt', name: 'created_at', type: 'timestamp' },
    { field: 'updatedAt', name: 'updated_at', type: 'timestamp' },
  ],
  version: 'version',
}

let database: PGlite
let store: RowStore
beforeAll(async () => {
  database = await createPglite()
  await database.query(`create table walked (
    id bigint generated always as identity primary key, text text collate "C", number double precision,
    count bigint not null, is_done boolean, due_at timestamptz(3), created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null, version integer not null)`)
  store = createRowStore(LAYOUT, async ({ text, values }) => {
    const { rows } = await database.query<Record<string, unknown>>(text, [...values])
    return rows
  })
})
afterAll(() => database.close())

// Few different ones, so that many are equal; in UTF-16 the last two stand the other way round.
const TEXTS = ['', 'a', 'A', 'ab', 'é', "o'k", '\u{FF5E}', '\u{1F600}']
const NUMBERS = [-1.5, 0, 0.1, 1e-7, 1e300, 2 ** 53]
const TIMES = ['0001-01-01T00:00:00.000Z', '2026-05-06T07:08:09.123Z', '9999-12-31T23:59:59.999Z']

const row = fc.record({
  text: fc.constantFrom(null, ...TEXTS),
  number: fc.constantFrom(null, ...NUMBERS),
  count: fc.constantFrom(-2, 0, 3, Number.MAX_SAFE_INTEGER),
  isDone: fc.constantFrom(null, true, false),
  dueAt: fc.constantFrom(null, ...TIMES),
})

const sort = fc
  .uniqueArray(
    fc.record({
      field: fc.constantFrom('text', 'number', 'count', 'isDone', 'dueAt', 'createdAt'),
      isDescending: fc.boolean(),
    }),
    { maxLength: 3, selector: ({ field }) => field },
  )
  .chain((keys) => fc.boolean().map((isDescending): SortKey[] => [...keys, { field: 'id', isDescending }]))

const operator = fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte')
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ field: fc.constant('text'), operator, value: fc.constantFrom(...TEXTS) }),
  fc.record({ field: fc.constant('number'), operator, value: fc.constantFrom(...NUMBERS) }),
  fc.record({ field: fc.constant('dueAt'), operator, value: fc.constantFrom(...TIMES) }),
  fc.record({ field: fc.constant('isDone'), operator, value: fc.boolean() }),
  fc.record({
    field: fc.constantFrom('text', 'number', 'isDone', 'dueAt', 'count'),
    operator: fc.constant('null'),
    value: fc.boolean(),
  }),
  fc.record({ field: fc.constant('text'), operator: fc.constant('in'), value: fc.subarray(TEXTS) }),
  fc.record({ field: fc.constant('number'), operator: fc.constant('in'), value: fc.subarray(NUMBERS) }),
)
const where = fc.record(
  { text: fc.oneof(fc.constantFrom(null, ...TEXTS), fc.subarray(TEXTS)), isDone: fc.constantFrom(null, true, false) },
  { requiredKeys: [] },
)

const ALL: ListQuery = { limit: 100, sort: [], after: null, conditions: [], where: {}, isCounted: true }

describe('a page of a table', () => {
  it('matches a plain sort, forward and backward, with any keys and nulls', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 8, maxLength: 20 }),
        sort,
        fc.integer({ min: 1, max: 4 }),
        expectWalk,
      ),
      { numRuns: 25 },
    )
  })

  async function expectWalk(rows: Fields[], keys: SortKey[], limit: number): Promise<void> {
    const expected = (await keep(rows)).toSorted((one, other) => compare(one, other, keys))
    expect(await walk({ ...ALL, sort: keys, limit }, expected.length)).toEqual(expected)
    const back = keys.map(({ field, isDescending }) => ({ field, isDescending: !isDescending }))
    expect(await walk({ ...ALL, sort: back, limit }, expected.length)).toEqual(expected.toReversed())
  }

  it('has the rows that match any filter', async () => {
    const asked = fc.oneof(
      fc.record({ where, conditions: fc.constant([]) }),
      fc.record({ where: fc.constant({}), conditions: fc.array(condition, { minLength: 1, maxLength: 2 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 8, maxLength: 20 }), asked, async (rows, question) => {
        const query = { ...ALL, ...question, sort: [{ field: 'id', isDescending: false }] }
        const expected = (await keep(rows)).filter((one) => fits(one, query))
        expect(await store.list(query)).toEqual({ rows: expected, total: expected.length })
      }),
      { numRuns: 25 },
    )
  })

  async function keep(rows: readonly Fields[]): Promise<Row[]> {
    await database.exec('truncate walked restart identity')
    const kept: Row[] = []
    for (const values of rows) kept.push(await store.create(values))
    return kept
  }

  async function walk(query: ListQuery, end: number): Promise<Row[]> {
    const seen: Row[] = []
    let after: readonly CursorValue[] | null = null
    for (;;) {
      const { rows } = await store.list({ ...query, after, isCounted: false })
      expect(rows.length).toBeLessThanOrEqual(query.limit)
      seen.push(...rows)
      const last: Row | undefined = rows.at(-1)
      if (last === undefined || seen.length > end) return seen
      after = query.sort.map(({ field }) => last[field] as CursorValue)
    }
  }
})

function fits(one: Fields, { where: rules, conditions }: ListQuery): boolean {
  return (
    Object.entries(rules).every(([field, wanted]) =>
      Array.isArray(wanted) ? wanted.includes(one[field]) : one[field] === wanted,
    ) && conditions.every((asked) => fitsCondition(one[asked.field], asked))
  )
}

function fitsCondition(value: unknown, { operator: asked, value: wanted }: Condition): boolean {
  if (asked === 'null') return (value === null) === wanted
  if (asked === 'ne') return value !== wanted
  if (value === null) return false
  if (asked === 'in') return (wanted as unknown[]).includes(value)
  const order = compareValues(value, wanted)
  return { eq: order === 0, gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[asked]
}

function compare(one: Fields, other: Fields, keys: readonly SortKey[]): number {
  const orders = keys.map(({ field, isDescending }) => {
    const order = compareValues(one[field], other[field])
    return isDescending ? -order : order
  })
  return orders.find((order) => order !== 0) ?? 0
}

function compareValues(one: unknown, other: unknown): number {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? 1 : -1
  // The bytes of UTF-8 stand in the order of code points.
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string))
  return Number(one) - Number(other)
}
