import { beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { compare, idsOf, inOrder, readPage, seed, walkForward } from './pages.ts'
import { type Row, startService, TASKS } from './service.ts'
import { distinctStores } from './stores.ts'

const ORDERS: Record<string, (order: number) => boolean> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
}

/** Returns whether a value matches: null is unequal to every value, and has no order. */
function fits(value: unknown, operator: string, wanted: unknown): boolean {
  if (operator === 'ne') return value !== wanted
  if (value === null) return false
  if (operator === '') return value === wanted
  return ORDERS[operator]?.(compare(value, wanted)) ?? false
}

const VALUES: Record<string, readonly unknown[]> = {
  title: ['tea', 'té', 'Zebra', '🍵', '\uFFFD', 'nowhere', "it's", 'a b', '10'],
  notes: ['note 1', 'note 3'],
  done: [true, false],
  priority: [1, 3, 5],
  score: [0, 0.1, -1.5, 1e300, 5e-324, 7],
  estimate: [0, 10 ** 12, 3 * 10 ** 12],
  dueAt: [
    '2026-01-01T00:00:00.000Z',
    '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '2020-02-29T00:00:00.000Z',
  ],
  dueDate: ['2026-02-15', '2026-03-01'],
}
const OPERATORS = ['', 'ne', 'gt', 'gte', 'lt', 'lte']
const CASES = Object.entries(VALUES).flatMap(([field, values]) =>
  OPERATORS.filter((operator) => field !== 'done' || operator === '' || operator === 'ne').flatMap((operator) =>
    values.map((value) => ({ field, operator, value, name: operator === '' ? field : `${field}[${operator}]` })),
  ),
)

describe.each(distinctStores)('filters of a list on $store', (kind) => {
  const service = startService(kind)
  let rows: Row[] = []
  beforeAll(async () => {
    rows = await seed(service)
  })
  const idsFor = async (query: string): Promise<number[]> => {
    const { data } = await readPage(service, `limit=100&${query}`)
    return data.map(({ id }) => id)
  }
  const fitting = (predicate: (row: Row) => boolean): number[] => rows.filter(predicate).map(({ id }) => id)
  const rejected = async (query: string) =>
    expectFailure(await service.call(`GET ${TASKS}?${query}`), 400, 'INVALID_REQUEST').details

  it.each(CASES)('match $name=$value', async ({ field, operator, value, name }) => {
    const query = `${name}=${encodeURIComponent(String(value))}`
    expect(await idsFor(query)).toEqual(fitting((row) => fits(row[field], operator, value)))
  })

  it.each(Object.entries(VALUES))('match %s[in]', async (field, values) => {
    for (const some of [values, values.slice(0, 1), values.slice(-2)]) {
      const list = some.map((value) => encodeURIComponent(String(value))).join(',')
      const expected = fitting((row) => some.includes(row[field]))
      expect(await idsFor(`${field}[in]=${list}`)).toEqual(expected)
      expect(await idsFor(`${field}%5Bin%5D=${list.replaceAll(',', '%2C')}`)).toEqual(expected)
    }
  })

  it.each(['notes', 'score', 'estimate', 'dueAt', 'dueDate'])('match %s[null]', async (field) => {
    expect(await idsFor(`${field}[null]=true`)).toEqual(fitting((row) => row[field] === null))
    expect(await idsFor(`${field}[null]=false`)).toEqual(fitting((row) => row[field] !== null))
  })

  it('by null can be combined with other filters and with pages', async () => {
    const both = fitting(({ dueAt, score }) => dueAt === null && score !== null)
    expect(await idsFor('dueAt[null]=true&score[null]=false')).toEqual(both)
    expect(await idsFor('dueAt[null]=true&dueAt[ne]=2026-01-01T00:00:00Z')).toEqual(
      fitting(({ dueAt }) => dueAt === null),
    )
    expect(await idsFor('dueAt[null]=true&dueAt[gt]=2026-01-01T00:00:00Z')).toEqual([])
    for (const sort of ['-dueAt', 'score', '-title']) {
      const query = `limit=3&sort=${sort}&dueAt[null]=true`
      const expected = inOrder(
        rows.filter(({ dueAt }) => dueAt === null),
        sort,
      )
      expect(idsOf(await walkForward(service, query))).toEqual(expected.map(({ id }) => id))
    }
  })

  it('are combined with AND', async () => {
    expect(await idsFor('priority[gte]=2&priority[lt]=5&priority[ne]=3&done=false&score[lte]=1.5')).toEqual(
      fitting(
        ({ priority, done, score }) =>
          [2, 4].includes(Number(priority)) && done === false && score !== null && Number(score) <= 1.5,
      ),
    )
    expect(await idsFor('done=true&done[ne]=true')).toEqual([])
  })

  it('by text compare every character', async () => {
    const { item } = await service.make({ title: '100%_a,b\\c"d' })
    expect(await idsFor(`title=${encodeURIComponent('100%_a,b\\c"d')}`)).toEqual([item.id])
    for (const alike of ['100%', '%', '_____', '100%_a,b', '100%_A,b\\c"d', '100%_a,b\\c"d '])
      expect(await idsFor(`title=${encodeURIComponent(alike)}`)).toEqual([])
    await service.call(`DELETE ${TASKS}/${item.id}`)
  })

  it('by time accept any offset and truncate to milliseconds', async () => {
    const expected = fitting(({ dueAt }) => dueAt === '2026-01-01T00:00:00.000Z')
    for (const time of ['2026-01-01T00:00:00Z', '2026-01-01T05:30:00%2B05:30', '2025-12-31T23:00:00.0009-01:00'])
      expect(await idsFor(`dueAt=${time}`)).toEqual(expected)
    expect(await rejected('dueAt=2026-01-01T05:30:00+05:30')).toMatchObject([{ name: 'dueAt' }])
  })

  it('by number accept any notation', async () => {
    expect(await idsFor('score=15e-1')).toEqual(fitting(({ score }) => score === 1.5))
    expect(await idsFor('score=-0')).toEqual(fitting(({ score }) => score === 0))
  })

  it.each([
    ['priority=abc', 'priority'],
    ['priority=1.5', 'priority'],
    ['priority=', 'priority'],
    ['priority=0x1', 'priority'],
    ['priority=%201', 'priority'],
    ['priority[gt]=x', 'priority[gt]'],
    ['priority[in]=1,x', 'priority[in]'],
    ['priority[in]=1,,2', 'priority[in]'],
    ['priority[in]=', 'priority[in]'],
    ['priority=1;drop%20table%20tasks', 'priority'],
    ['estimate=9007199254740992', 'estimate'],
    ['estimate[lt]=-99999999999999999999', 'estimate[lt]'],
    ['score=abc', 'score'],
    ['score=NaN', 'score'],
    ['score=Infinity', 'score'],
    ['score=1e400', 'score'],
    ['score=', 'score'],
    ['done=1', 'done'],
    ['done=TRUE', 'done'],
    ['done=yes', 'done'],
    ['done=', 'done'],
    ['done=null', 'done'],
    ['done[ne]=0', 'done[ne]'],
    ['dueAt[null]=', 'dueAt[null]'],
    ['dueAt[null]=1', 'dueAt[null]'],
    ['dueAt[null]=null', 'dueAt[null]'],
    ['dueAt[null]=2026-01-01T00:00:00Z', 'dueAt[null]'],
    ['dueAt=yesterday', 'dueAt'],
    ['dueAt=2026-01-01', 'dueAt'],
    ['dueAt=2026-01-01T00:00:00', 'dueAt'],
    ['dueAt=2026-06-30T23:59:60Z', 'dueAt'],
    ['dueAt=infinity', 'dueAt'],
    ['dueAt=', 'dueAt'],
    ['dueAt[lt]=0000-01-01T00:00:00Z', 'dueAt[lt]'],
    ['dueDate=2026-02-30', 'dueDate'],
    ['dueDate=2026-01-01T00:00:00Z', 'dueDate'],
    ['dueDate[gte]=epoch', 'dueDate[gte]'],
    [`priority[in]=${Array(101).fill('1').join(',')}`, 'priority[in]'],
  ])('are rejected if the value is invalid: ?%s', async (query, name) => {
    const details = await rejected(query)
    expect(details).toMatchObject([{ source: 'query', name }])
    expect(details[0]?.code).toMatch(/^(?:REQUIRED|INVALID_(?:TYPE|FORMAT|VALUE)|TOO_(?:SHORT|LONG|SMALL|LARGE))$/)
  })

  it('by list accept 100 values', async () => {
    const list = Array.from({ length: 100 }, (_, n) => n + 1)
    expect(await idsFor(`priority[in]=${list.join(',')}`)).toEqual(fitting(() => true))
  })

  it('by number do not fail for values that no row can have', async () => {
    for (const query of ['priority=99', 'priority[gt]=-1', 'score[lt]=1e308', 'estimate[gt]=9007199254740991'])
      expect([200, 400]).toContain((await service.call(`GET ${TASKS}?${query}`)).status)
  })

  it.each([
    ['tags=a', 'tags'],
    ['meta=a', 'meta'],
    ['createdAt=2026-01-01T00:00:00Z', 'createdAt'],
    ['priority[like]=1', 'priority[like]'],
    ['priority[eq]=1', 'priority[eq]'],
    ['priority[GT]=1', 'priority[GT]'],
    ['priority[]=1', 'priority[]'],
    ['priority[gt=1', 'priority[gt'],
    ['priority]=1', 'priority]'],
    ['priority[gt][lt]=1', 'priority[gt][lt]'],
    ['[gt]=1', '[gt]'],
    ['priority.gt=1', 'priority.gt'],
    ['priority[__proto__]=1', 'priority[__proto__]'],
    ['Priority=1', 'Priority'],
    ['nope[gt]=1', 'nope[gt]'],
    ['title[null]=true', 'title[null]'],
    ['done[null]=false', 'done[null]'],
    ['meta[null]=true', 'meta[null]'],
  ])('are rejected for undeclared fields and operators: ?%s', async (query, name) => {
    expect(await rejected(query)).toMatchObject([{ code: 'UNKNOWN_PARAMETER', source: 'query', name }])
  })

  it('report all issues in one response', async () => {
    const details = await rejected('priority=x&done=1&dueAt[lt]=now&nope=1&title=tea')
    expect(details.map(({ name }) => String(name)).toSorted()).toEqual(['done', 'dueAt[lt]', 'nope', 'priority'])
  })
})
