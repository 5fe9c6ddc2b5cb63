import { expect } from 'vitest'
import { type PageBody, pageOf, type Row, type Service, TASKS } from './service.ts'

/** Reads one page, and checks the rules that hold for every page. */
export async function readPage(service: Service, query: string, path = TASKS): Promise<PageBody> {
  const response = await service.call(`GET ${path}?${query}`)
  expect([response.status, response.body]).toEqual([200, expect.any(String)])
  const page = pageOf(response)
  const { pagination, data } = page
  expect(Object.keys(page).toSorted()).toEqual(['data', 'pagination'])
  expect(Object.keys(pagination).filter((name) => name !== 'total')).toEqual(
    expect.arrayContaining(['limit', 'hasMore', 'nextCursor', 'prevCursor']),
  )
  expect(pagination.hasMore).toBe(pagination.nextCursor !== null)
  expect(data.length).toBeLessThanOrEqual(pagination.limit)
  if (!query.includes('cursor=')) expect(pagination.prevCursor).toBeNull()
  return page
}

/** Follows a list from its first page to its last. */
export async function walkForward(service: Service, query: string, path = TASKS): Promise<PageBody[]> {
  return follow(
    service,
    { query, path, next: ({ pagination }) => pagination.nextCursor },
    await readPage(service, query, path),
  )
}

/** Follows a list from one of its pages back to the first. Returns the pages in reading order, without that one. */
export async function walkBack(service: Service, query: string, from: PageBody): Promise<PageBody[]> {
  const next = ({ pagination }: PageBody): string | null => pagination.prevCursor
  const pages = await follow(service, { query, path: TASKS, next }, from)
  return pages.slice(1)
}

interface WalkOptions {
  readonly query: string
  readonly path: string
  next(page: PageBody): string | null
}

async function follow(service: Service, { query, path, next }: WalkOptions, first: PageBody): Promise<PageBody[]> {
  const pages = [first]
  let cursor = next(first)
  while (cursor !== null) {
    const page = await readPage(service, `${query}&cursor=${encodeURIComponent(cursor)}`, path)
    pages.push(page)
    expect(pages.length, 'the number of pages').toBeLessThan(200)
    cursor = next(page)
  }
  return pages
}

/** Returns the ids of all rows of these pages. */
export function idsOf(pages: readonly PageBody[]): number[] {
  return pages.flatMap(({ data }) => data.map(({ id }) => id))
}

/** The expected order of a list: by code point, null last, and `id` in the direction of the first key. */
export function inOrder(rows: readonly Row[], sort: string): Row[] {
  const keys = sort.split(',')
  const last = keys[0]?.startsWith('-') === true ? '-id' : 'id'
  return rows.toSorted((one, other) => {
    for (const key of [...keys, last]) {
      const field = key.replace(/^-/, '')
      const order = compare(one[field], other[field])
      if (order !== 0) return key.startsWith('-') ? -order : order
    }
    return 0
  })
}

/** Negative if the first value is before the second. */
export function compare(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  // UTF-8 bytes have the order of code points.
  if (typeof one === 'string' && typeof other === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return Number(one) - Number(other)
}

const TITLES = [
  'tea',
  'Tea',
  'tee',
  'té',
  'te\u0301',
  'Zebra',
  'zebra',
  'a b',
  'a-b',
  'a_b',
  '🍵',
  '\uFFFD',
  'ä',
  '1',
  '10',
  '2',
  '"',
  '\\',
  "'",
  '\u0001\n',
  ' ',
  '\u2028',
  '%2B+&=',
]
const TIMES = [
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '0001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
]
const SCORES = [0, -1.5, 1.5, 1e300, -1e300, 0.1, 5e-324]

/** Creates rows with many equal values, and many without a value. */
export async function seed(service: Service, count = 57, path = TASKS): Promise<Row[]> {
  const rows: Row[] = []
  for (let n = 0; n < count; n++) {
    const { item } = await service.make(
      {
        title: TITLES[(n * 7) % TITLES.length],
        done: n % 3 === 0,
        priority: 1 + ((n * 3) % 5),
        ...(n % 4 > 0 && { score: SCORES[(n * 5) % SCORES.length] }),
        ...(n % 3 > 0 && { dueAt: TIMES[(n * 11) % TIMES.length] }),
        ...(n % 5 > 0 && { dueDate: `2026-0${1 + (n % 4)}-15` }),
        ...(n % 2 > 0 && { notes: n % 6 === 1 ? '' : `note ${n % 5}` }),
        ...(n % 7 > 0 && { estimate: (n % 4) * 10 ** 12 }),
      },
      { path },
    )
    rows.push(item)
  }
  return rows
}
