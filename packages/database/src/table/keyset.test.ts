import { createDatabase, hasPostgres } from '@sdk/test-kit'
import type { CursorValue } from '@sdk/protocol'
import type { ListQuery, SortKey } from '@sdk/server'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Layout, Statement } from '../table-layout.ts'
import { createRowStore } from './row-store.ts'

const ROWS = 100_000

const LAYOUT: Layout = {
  table: '"deep"',
  columns: [
    { field: 'id', name: 'id', type: 'integer' },
    { field: 'title', name: 'title', type: 'string', isNullable: false },
    { field: 'rank', name: 'rank', type: 'integer' },
    { field: 'heir', name: 'heir', type: 'integer' },
    { field: 'isDone', name: 'is_done', type: 'boolean', isNullable: false },
    { field: 'createdAt', name: 'created_at', type: 'timestamp', hasExtraPrecision: true },
    { field: 'updatedAt', name: 'updated_at', type: 'timestamp' },
  ],
  version: 'version',
}

const TIME = '2026-01-02T03:04:05.000Z'
const DEEP = ROWS - 10_000

interface Plan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

describe.skipIf(!hasPostgres())('a page of a large table', () => {
  let pool: pg.Pool
  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: await createDatabase(), max: 1 })
    await pool.query(`create table deep (
      id bigint generated always as identity primary key, title text collate "C" not null, rank bigint,
      heir bigint, is_done boolean not null, created_at timestamptz not null, updated_at timestamptz(3) not null,
      version integer not null default 1)`)
    // Half of the ranks are null, half of the rows are done, and one in a thousand has no heir.
    await pool.query(`insert into deep (title, rank, heir, is_done, created_at, updated_at)
      select lpad(n::text, 8, '0'), case when n % 2 = 0 then n / 10 end, nullif(n % 1000, 0), n > ${ROWS / 2},
        '${TIME}'::timestamptz + n * interval '1 second' + interval '7 microseconds', '${TIME}'
      from generate_series(1, ${ROWS}) n`)
    for (const keys of ['title, id', 'rank, id', 'heir, id', 'is_done, id', 'created_at, id', 'is_done, rank desc, id'])
      await pool.query(`create index on deep (${keys})`)
    await pool.query('vacuum analyze deep')
  })
  afterAll(() => pool.end())

  const at = (second: number): string => new Date(Date.parse(TIME) + second * 1000).toISOString()

  it.each<[string, CursorValue[] | null]>([
    ['id', null],
    ['id', [DEEP]],
    ['-id', [500]],
    ['title,id', null],
    ['title,id', [String(DEEP).padStart(8, '0'), DEEP]],
    ['-title,-id', [String(500).padStart(8, '0'), 500]],
    ['rank,id', null],
    ['rank,id', [DEEP / 10, DEEP]],
    ['rank,id', [ROWS / 10, ROWS]],
    ['rank,id', [null, DEEP + 1]],
    ['-rank,-id', null],
    ['-rank,-id', [null, 501]],
    ['-rank,-id', [null, 1]],
    ['-rank,-id', [50, 500]],
    ['isDone,id', [false, ROWS / 2 - 100]],
    ['isDone,id', [true, DEEP]],
    ['-isDone,-id', [false, 500]],
    ['createdAt,id', [at(DEEP), DEEP]],
    ['-createdAt,-id', [at(500), 500]],
    ['isDone,-rank,id', null],
    ['isDone,-rank,id', [true, null, DEEP + 1]],
    ['isDone,-rank,id', [true, ROWS / 10 - 1000, DEEP]],
  ])('sorted by %s after %j is read from an index, without any extra row', async (keys, after) => {
    const { scans, rows } = await explain(toQuery(keys, after))
    expect(rows).toBe(21)
    expect(scans.map(kindOf)).not.toContain('Seq Scan')
    // So nothing but a few pages is ever sorted.
    expect(Math.max(...scans.map(readBy))).toBeLessThanOrEqual(21)
  })

  it('is read from an index with a generic plan', async () => {
    await pool.query('set plan_cache_mode = force_generic_plan')
    for (const query of [toQuery('title,id', ['00050000', 50_000]), toQuery('rank,id', [5000, 50_000])]) {
      const { scans } = await explain(query)
      expect(scans.map(kindOf)).not.toContain('Seq Scan')
      expect(Math.max(...scans.map(readBy))).toBeLessThanOrEqual(21)
    }
    await pool.query('reset plan_cache_mode')
  })

  it('uses one index for a condition and the order', async () => {
    const conditions = [{ field: 'isDone', operator: 'eq', value: true }] as const
    const { scans } = await explain({ ...toQuery('id', [DEEP]), conditions })
    expect(scans.map(kindOf)).toEqual(['Index Scan'])
    expect(scans.map(readBy)).toEqual([21])
  })

  it.each([
    ['heir,id', [null, 1000], true, 21],
    ['heir,id', [50, 500], false, 21],
    // Of what is null PostgreSQL does not see that the index has it by id: it sorts all there are.
    ['id', [10], true, ROWS / 1000],
    ['-id', [DEEP], true, ROWS / 1000],
  ] as const)('filtered by null and sorted by %s after %j is read from an index', async (...asked) => {
    const [keys, after, value, most] = asked
    const conditions = [{ field: 'heir', operator: 'null', value }] as const
    const { scans, rows } = await explain({ ...toQuery(keys, [...after]), conditions })
    expect(rows).toBe(21)
    expect(scans.map(kindOf)).not.toContain('Seq Scan')
    expect(Math.max(...scans.map(readBy))).toBeLessThanOrEqual(most)
  })

  /** Runs the statement of a page once more inside an `explain`. */
  async function explain(query: ListQuery): Promise<{ scans: Plan[]; rows: number }> {
    const statements: Statement[] = []
    const store = createRowStore(LAYOUT, async (statement) => {
      statements.push(statement)
      const { text, values } = statement
      return (await pool.query<Record<string, unknown>>(text, [...values])).rows
    })
    const { rows } = await store.list(query)
    const [{ text, values } = { text: '', values: [] }] = statements
    // As a prepared statement, which alone has a plan for any values.
    const types = values.map(() => 'text').join(', ')
    await pool.query(`prepare page${types && ` (${types})`} as ${text}`)
    const given = values.map((value) => pg.escapeLiteral(String(value))).join(', ')
    const explained = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, timing off, format json) execute page${given && ` (${given})`}`,
    )
    await pool.query('deallocate page')
    const plan = explained.rows[0]?.['QUERY PLAN'][0].Plan
    const scans = plan === undefined ? [] : flatten(plan).filter((node) => kindOf(node).endsWith(' Scan'))
    return { scans: scans.filter((node) => kindOf(node) !== 'Subquery Scan'), rows: rows.length }
  }
})

function flatten(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flatten)]
}

function kindOf(plan: Plan): string {
  return plan['Node Type']
}

function readBy(plan: Plan): number {
  return (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
}

function toQuery(keys: string, after: CursorValue[] | null): ListQuery {
  const sort = keys.split(',').map((key): SortKey => {
    const isDescending = key.startsWith('-')
    return { field: isDescending ? key.slice(1) : key, isDescending }
  })
  return { limit: 21, sort, after, conditions: [], where: {}, isCounted: false }
}
