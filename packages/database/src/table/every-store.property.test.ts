import { memoryStore } from '@sdk/server'
import { codePoint, DATABASE_KINDS, hasPostgres } from '@sdk/test-kit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Site } from './every-store.test.fixture.ts'
import { type Database, openDatabase, table } from '../index.ts'

// Few different ones, so that many are equal and taken.
const TEXTS = ['', 'a', 'A', 'a ', 'é', 'e\u0301', "o'k", '%', '_', '\\', '"', 'null', '\u0001', '\uFFFF', '\u{1F600}']
const NUMBERS = [0, -0, -1.5, 0.1, 0.30000000000000004, 1e-7, 1e300, 5e-324, Number.MAX_VALUE, 2 ** 53, 1.2345e20]
const WHOLES = [0, -0, 1, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
const TIMES = [
  '0001-01-01T00:00:00+00:00',
  '0099-03-01T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '2026-05-06T07:08:09.123Z',
  '2026-05-06T08:08:09.1239+01:00',
  '9999-12-31T23:59:59.9999Z',
]
const DAYS = ['0001-01-01', '0099-12-31', '1582-10-10', '2024-02-29', '9999-12-31']

const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null, freq: 3 })
const fields = {
  text: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...TEXTS) }, fc.string({ unit: codePoint, maxLength: 5 })),
  long: orNull(fc.oneof(fc.constantFrom(...TEXTS, 'x'.repeat(700), 'y'.repeat(9000)), fc.string({ maxLength: 5 }))),
  number: orNull(fc.oneof(fc.constantFrom(...NUMBERS), fc.double({ noNaN: true, noDefaultInfinity: true }))),
  whole: orNull(fc.constantFrom(...WHOLES)),
  flag: orNull(fc.boolean()),
  at: orNull(fc.constantFrom(...TIMES)),
  day: orNull(fc.constantFrom(...DAYS)),
  size: fc.constantFrom(1, 2, 3),
  meta: orNull(fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })),
}
const row = fc.record(fields, { requiredKeys: ['text'] })
// Null where it is not allowed, too.
const patch = fc.record({ ...fields, size: orNull(fields.size), text: orNull(fields.text) }, { requiredKeys: [] })

const sort = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom('', '-'), fc.constantFrom('text', 'number', 'whole', 'flag', 'at', 'day', 'size', 'id')),
    { minLength: 1, maxLength: 3, selector: ([, field]) => field },
  )
  .map((keys) => keys.map((key) => key.join('')).join(','))

const OPERATORS = ['', '[ne]', '[gt]', '[gte]', '[lt]', '[lte]']
const filterOf = (names: string[], values: readonly unknown[], operators = OPERATORS): fc.Arbitrary<string[]> => {
  const value = fc.constantFrom(...values).map(String)
  const some = fc.array(value, { minLength: 1, maxLength: 4 }).map((list) => list.join(','))
  return fc.constantFrom(...names).chain((name) =>
    fc.oneof(
      fc.tuple(
        fc.constantFrom(...operators).map((operator) => name + operator),
        value,
      ),
      fc.tuple(fc.constant(`${name}[in]`), some),
    ),
  )
}
const filter = fc.oneof(
  filterOf(['text', 'long'], TEXTS),
  filterOf(['number'], NUMBERS),
  filterOf(['whole', 'size'], WHOLES),
  filterOf(['at'], TIMES),
  filterOf(['day'], DAYS),
  filterOf(['flag'], [true, false], ['', '[ne]']),
  fc.tuple(
    fc.constantFrom('long[null]', 'number[null]', 'flag[null]', 'at[null]', 'day[null]'),
    fc.boolean().map(String),
  ),
)
const search = fc
  .record({ sort, limit: fc.integer({ min: 1, max: 4 }).map(String), count: fc.boolean().map(String) })
  .chain((asked) => fc.array(filter, { maxLength: 2 }).map((filters) => ({ ...asked, ...Object.fromEntries(filters) })))
  .map((asked) => `?${String(new URLSearchParams(asked))}`)

const turn = fc.nat(9)
const match = fc.constantFrom('none', 'any', 'known')
const command = fc.oneof(
  { weight: 8, arbitrary: fc.record({ method: fc.constant('POST'), body: row.map(toJson) }) },
  { weight: 3, arbitrary: fc.record({ method: fc.constant('PUT'), turn, body: row.map(toJson), match }) },
  { weight: 5, arbitrary: fc.record({ method: fc.constant('PATCH'), turn, body: patch.map(toJson), match }) },
  { weight: 1, arbitrary: fc.record({ method: fc.constantFrom('DELETE', 'GET'), turn }) },
  { weight: 6, arbitrary: fc.record({ method: fc.constant('GET'), search }) },
)
type Command = { method: string; turn?: number; body?: string; match?: string; search?: string }
const caller = fc.constantFrom('ada', 'ada', 'bob', 'pair', 'root', 'flagged', 'none', '')

// What was found by then is told: looking for the smallest case may take longer than a test.
const IN_TIME = { interruptAfterTimeLimit: 30_000 }

describe.skipIf(!hasPostgres())('a resource', () => {
  let databases: Database[] = []
  beforeAll(async () => {
    databases = await Promise.all(DATABASE_KINDS.map(({ open }) => open(openDatabase)))
  })
  afterAll(() => Promise.all(databases.map((database) => database.close())))

  /** In memory, on PGlite and on PostgreSQL. */
  async function openSites(): Promise<Site[]> {
    const sites = [memoryStore(), ...databases.map((database) => table('things', { database }))].map(
      (store) => new Site(store),
    )
    // So that there is a table.
    for (const site of sites) await site.send('GET', '', { as: 'root' })
    for (const database of databases) await database.query('delete from things')
    return sites
  }

  it('returns the same responses on every store', async () => {
    const commands = fc.array(fc.tuple(caller, command), { minLength: 10, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(commands, async (asked) => {
        const sites = await openSites()
        for (const [as, one] of asked) {
          const [inMemory, ...others] = await Promise.all(sites.map((site) => run(site, one, as)))
          for (const other of others) expect(other).toEqual(inMemory)
        }
      }),
      { numRuns: 6, ...IN_TIME },
    )
  })

  it('lists each remaining row once across pages during other writes', async () => {
    const rows = fc.array(row.map(toJson), { minLength: 5, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(rows, rows, sort, async (bodies, others, keys) => {
        const walk = async (site: Site): Promise<void> => {
          for (const body of bodies) await site.send('POST', '', { as: 'ada', body })
          const stay = new Set(site.ids)
          const seen = await walkBusy(site, `?sort=${keys}&limit=2`, others)
          const met = seen.filter((id) => stay.has(id))
          expect(met.toSorted((one, other) => one - other)).toEqual([...stay])
        }
        await Promise.all((await openSites()).map(walk))
      }),
      { numRuns: 6, ...IN_TIME },
    )
  })
})

async function run(site: Site, one: Command, as: string): Promise<unknown> {
  const { method, turn: made, body, search: query } = one
  if (query !== undefined) return readAll(site, query, as)
  if (made === undefined) return site.toPlain(await site.send(method, '', { as, ...(body !== undefined && { body }) }))
  const place = site.placeOf(made)
  const before = await site.send('GET', place, { as })
  const tag = { none: undefined, any: '*', known: before.etag ?? '"x"' }[one.match ?? 'none']
  const answer = await site.send(method, place, { as, ...(body !== undefined && { body }), ...(tag && { match: tag }) })
  const after = await site.send('GET', place, { as })
  expect(after).toEqual(answer.status === 200 && method !== 'DELETE' ? answer : after)
  return { answer: site.toPlain(answer), after: after.status, isSame: after.etag === before.etag }
}

/** All pages of a list, from the first to the last, and back. */
async function readAll(site: Site, query: string, as: string): Promise<unknown[]> {
  const read = async (cursor: string | null, way: Way): Promise<Answer[]> => {
    if (cursor === null) return []
    const page = await site.send('GET', toPlace(query, cursor), { as })
    return [page, ...(await read(cursorOf(page, way), way))]
  }
  const forward = await read('', 'nextCursor')
  const back = await read(cursorOf(forward.at(-1), 'prevCursor'), 'prevCursor')
  return [...forward, ...back].map((page) => site.toPlain(page))
}

/** The ids that a walk meets while rows come, change and go. */
async function walkBusy(site: Site, query: string, bodies: readonly string[]): Promise<number[]> {
  const seen: number[] = []
  const first = site.ids.length
  let cursor: string | null = ''
  for (let step = 0; cursor !== null && step < 100; step++) {
    const body = bodies[step % bodies.length] ?? ''
    const [page] = await Promise.all([
      site.send('GET', toPlace(query, cursor), { as: 'root' }),
      site.send('POST', '', { as: 'bob', body }),
      // Rows of bob's, each of which changes a few times before it goes.
      site.send('PATCH', site.placeOf(first + step), { as: 'bob', body }),
      site.send('DELETE', site.placeOf(first + Math.floor(step / 2)), { as: 'bob' }),
    ])
    seen.push(...(page.body['data'] as { id: number }[]).map(({ id }) => id))
    cursor = cursorOf(page, 'nextCursor')
  }
  return seen
}

type Answer = Awaited<ReturnType<Site['send']>>
type Way = 'nextCursor' | 'prevCursor'

function cursorOf(page: Answer | undefined, way: Way): string | null {
  const { [way]: cursor = null } = (page?.body['pagination'] ?? {}) as Partial<Record<Way, string | null>>
  return cursor
}

function toPlace(query: string, cursor: string): string {
  return cursor === '' ? query : `${query}&cursor=${cursor}`
}

/** JSON, with a word for -0. */
function toJson(value: object): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (Object.is(inner, -0) ? 'minus zero' : inner))
  return text.replaceAll('"minus zero"', '-0')
}
