import { beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../../chaos/mode.ts'
import { idsOf, inOrder, readPage, seed, walkBack, walkForward } from './pages.ts'
import { type PageBody, pageOf, type Row, startService, TASKS } from './service.ts'
import { TASK_RULES } from './showcase.ts'
import { distinctStores } from './stores.ts'

/** The page size of the tests for each order: several pages, and a last one that is not full. */
const PAGE = choose(7, 16)

const single = ['id', ...TASK_RULES.sort]
const SINGLES = single.flatMap((key) => [key, `-${key}`])
/** All pairs of keys in both orders, with alternating directions. The short form uses a third of them. */
const PAIRS = TASK_RULES.sort.flatMap((one, at) =>
  TASK_RULES.sort
    .filter((other) => other !== one)
    .map((other, index) => `${(at + index) % 2 ? '-' : ''}${one},${(at + index) % 3 ? '' : '-'}${other}`)
    .filter((_, index) => (at + index) % choose(1, 3) === 0),
)
const TRIPLES = [
  'done,-score,dueAt',
  '-score,dueDate,-title',
  'priority,-done,id',
  'dueAt,-dueDate,score',
  '-dueDate,-dueAt,-score',
  'title,-id',
  '-id,title',
]

describe.each(distinctStores)('paging through 57 rows on $store', (kind) => {
  const service = startService(kind)
  let rows: Row[] = []
  beforeAll(async () => {
    rows = await seed(service)
  })
  const expected = (sort: string): number[] => inOrder(rows, sort).map(({ id }) => id)
  const lastOf = (pages: readonly PageBody[]): PageBody => {
    const last = pages.at(-1)
    if (last === undefined) throw new Error('expected at least one page')
    return last
  }

  it.each([...SINGLES, ...PAIRS, ...TRIPLES])('returns each row once, forward and back, sorted by %s', async (sort) => {
    const query = `limit=${PAGE}&sort=${sort}`
    const pages = await walkForward(service, query)
    expect(idsOf(pages)).toEqual(expected(sort))
    const back = await walkBack(service, query, lastOf(pages))
    expect(idsOf([...back].toReversed())).toEqual(expected(sort).slice(0, -lastOf(pages).data.length))
    expect(lastOf(back).pagination.prevCursor).toBeNull()
    expect(lastOf(back).data[0]?.id).toBe(expected(sort)[0])
  })

  it('is sorted by id by default', async () => {
    const pages = await walkForward(service, 'limit=7')
    expect(idsOf(pages)).toEqual(rows.map(({ id }) => id).toSorted((one, other) => one - other))
    expect(idsOf(await walkForward(service, ''))).toEqual(idsOf(pages))
  })

  it('returns complete rows', async () => {
    const pages = await walkForward(service, 'limit=100&sort=score')
    expect(pages.flatMap(({ data }) => data)).toEqual(inOrder(rows, 'score'))
  })

  it.each([1, 8, 19, 56, 57, 58, 100])('supports a limit of %i', async (limit) => {
    const query = `limit=${limit}&sort=-priority,title`
    const pages = await walkForward(service, query)
    expect(idsOf(pages)).toEqual(expected('-priority,title'))
    expect(pages.every(({ pagination }) => pagination.limit === limit)).toBe(true)
  })

  it('can change the limit between pages', async () => {
    const pages = await walkForward(service, 'limit=7&sort=dueAt')
    const back = await walkBack(service, 'limit=10&sort=dueAt', lastOf(pages))
    expect(idsOf([...back].toReversed())).toEqual(expected('dueAt').slice(0, 56))
    const [first] = pages
    const second = await readPage(service, `limit=3&sort=dueAt&cursor=${first?.pagination.nextCursor}`)
    expect(idsOf([second])).toEqual(expected('dueAt').slice(7, 10))
  })

  it('can change direction at any page', async () => {
    const query = 'limit=7&sort=score,-dueDate'
    const pages = await walkForward(service, query)
    for (const [at, page] of pages.entries()) {
      const { prevCursor } = page.pagination
      if (prevCursor === null) continue
      const before = await readPage(service, `${query}&cursor=${prevCursor}`)
      expect(before.data).toEqual(pages[at - 1]?.data)
      expect(before.pagination.prevCursor === null).toBe(at === 1)
      expect(before.pagination.hasMore).toBe(true)
      const again = await readPage(service, `${query}&cursor=${before.pagination.nextCursor}`)
      expect(again.data).toEqual(page.data)
    }
  })

  it('keeps its filters', async () => {
    const query = 'limit=4&sort=-title&done=false&priority[gte]=2'
    const fitting = rows.filter(({ done, priority }) => done === false && Number(priority) >= 2)
    const pages = await walkForward(service, query)
    expect(idsOf(pages)).toEqual(inOrder(fitting, '-title').map(({ id }) => id))
    const back = await walkBack(service, query, lastOf(pages))
    expect(back.length).toBe(pages.length - 1)
  })

  it('works with the Link header', async () => {
    const ids: number[] = []
    const seenBack: Row[] = []
    let target: string | undefined = `${TASKS}?limit=9&sort=-score&done=false`
    let turns = 0
    while (target !== undefined && turns++ < 20) {
      const response = await service.call(`GET ${target}`)
      const { data, pagination } = pageOf(response)
      ids.push(...data.map(({ id }) => id))
      const links = linksOf(response.headers['link'])
      expect(links.has('prev')).toBe(pagination.prevCursor !== null)
      expect(links.has('next')).toBe(pagination.nextCursor !== null)
      if (links.has('prev')) seenBack.push(...pageOf(await service.call(`GET ${links.get('prev')}`)).data)
      target = links.get('next')
      expect(target ?? TASKS).toMatch(/^\/api\/v1\/tasks/)
    }
    const fitting = rows.filter(({ done }) => done === false)
    const inAll = inOrder(fitting, '-score').map(({ id }) => id)
    expect(ids).toEqual(inAll)
    // Each page except the last is the previous page of another one.
    expect(seenBack.map(({ id }) => id)).toEqual(inAll.slice(0, Math.floor((inAll.length - 1) / 9) * 9))
  })
})

describe.each(distinctStores)('paging during changes on $store', (kind) => {
  const service = startService(kind)

  it('continues if the row of the cursor was deleted', async () => {
    const rows = inOrder(await seed(service, 12), 'title')
    const first = await readPage(service, 'limit=5&sort=title')
    const second = await readPage(service, `limit=5&sort=title&cursor=${first.pagination.nextCursor}`)
    for (const row of [rows[4], rows[5], rows[9]]) await service.call(`DELETE ${TASKS}/${row?.id}`)
    const on = await readPage(service, `limit=5&sort=title&cursor=${first.pagination.nextCursor}`)
    expect(on.data.map(({ id }) => id)).toEqual(
      rows
        .slice(6, 9)
        .concat(rows.slice(10, 12))
        .map(({ id }) => id),
    )
    const back = await readPage(service, `limit=5&sort=title&cursor=${second.pagination.prevCursor}`)
    expect(back.data.map(({ id }) => id)).toEqual(rows.slice(0, 4).map(({ id }) => id))
    expect(back.pagination.prevCursor).toBeNull()
  })

  it('returns each row that existed from the start exactly once', async () => {
    const path = '/api/v1/chores'
    const rows = await seed(service, 30, path)
    const seen: number[] = []
    let page = await readPage(service, 'limit=4&sort=-priority', path)
    for (;;) {
      seen.push(...idsOf([page]))
      await service.make({ title: 'in between', priority: 1 + (seen.length % 5) }, { path })
      const { nextCursor } = page.pagination
      if (nextCursor === null || seen.length > 100) break
      page = await readPage(service, `limit=4&sort=-priority&cursor=${nextCursor}`, path)
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(rows.map(({ id }) => id)))
  })

  it('returns an empty page if the remaining rows were deleted', async () => {
    const only = 'title=alone&limit=1'
    const [one, two] = [await service.make({ title: 'alone' }), await service.make({ title: 'alone' })]
    const first = await readPage(service, only)
    expect(first.data).toEqual([one.item])
    await service.call(`DELETE ${two.path}`)
    const second = await readPage(service, `${only}&cursor=${first.pagination.nextCursor}`)
    expect([second.data, second.pagination.hasMore]).toEqual([[], false])
  })
})

function linksOf(header: string | undefined): Map<string, string> {
  const links = Array.from((header ?? '').matchAll(/<([^>]+)>; rel="([^"]+)"/g))
  return new Map(links.map(([, target = '', rel = '']) => [rel, target]))
}
