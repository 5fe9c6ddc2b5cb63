import { beforeAll, describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from '../http/expect-failure.ts'
import { readPage, seed } from './pages.ts'
import { bodyOf, pageOf, type Row, startService, TASKS } from './service.ts'
import { distinctStores } from './stores.ts'

describe.each(distinctStores)('a list of a resource on $store', (kind) => {
  const service = startService(kind)
  let rows: Row[] = []
  beforeAll(async () => {
    rows = await seed(service, 25)
  })
  const refused = async (query: string) =>
    expectFailure(await service.call(`GET ${TASKS}?${query}`), 400, 'INVALID_REQUEST').details
  const cursorOf = async (query: string): Promise<string> => {
    const { pagination } = await readPage(service, query)
    return pagination.nextCursor ?? ''
  }

  it('that is empty is a list', async () => {
    const answer = await service.call('GET /api/v1/chores')
    const pagination = { limit: 20, hasMore: false, nextCursor: null, prevCursor: null }
    expect([answer.status, bodyOf(answer)]).toEqual([200, { data: [], pagination }])
    expect(answer.headers).not.toHaveProperty('link')
  })

  it('has 20 rows where nothing is said, and headers', async () => {
    const answer = await service.call(`GET ${TASKS}`)
    const { data, pagination } = pageOf(answer)
    expect(data).toEqual(rows.slice(0, 20))
    expect(pagination).toEqual({ limit: 20, hasMore: true, nextCursor: expect.any(String) as string, prevCursor: null })
    expect(answer.headers['link']).toMatch(/^<\/api\/v1\/tasks\?limit=20&cursor=[^>&]+>; rel="next"$/)
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'private, no-cache' })
    expect((answer.headers['vary'] ?? '').split(', ').toSorted()).toEqual(['Accept', 'Authorization', 'Cookie'])
    expectGuarded(answer)
  })

  it.each(['0', '101', 'abc', '', '-1', '1.5', '+5', '0x10', '1e1', 'NaN', '99999999999999999999', '%EF%BC%91', '5;'])(
    'has a limit of 1 to 100, not %j',
    async (limit) => {
      expect(await refused(`limit=${limit}`)).toMatchObject([{ source: 'query', name: 'limit' }])
    },
  )

  it.each([1, 100])('may have a limit of %i', async (limit) => {
    const { data, pagination } = await readPage(service, `limit=${limit}`)
    expect([data.length, pagination.limit]).toEqual([Math.min(limit, rows.length), limit])
  })

  it('says how many rows there are, if asked', async () => {
    const all = await readPage(service, 'count=true&limit=3')
    expect(all.pagination.total).toBe(25)
    const next = await readPage(service, `count=true&limit=3&cursor=${all.pagination.nextCursor}`)
    expect(next.pagination.total).toBe(25)
    const fitting = rows.filter(({ done }) => done === true).length
    expect((await readPage(service, 'count=true&limit=1&done=true')).pagination.total).toBe(fitting)
    expect((await readPage(service, 'count=true&title=nowhere')).pagination.total).toBe(0)
    for (const query of ['count=false', ''])
      expect((await readPage(service, query)).pagination).not.toHaveProperty('total')
  })

  it.each(['1', 'TRUE', 'yes', '', 'true '])('counts by true or false, not %j', async (count) => {
    expect(await refused(`count=${encodeURIComponent(count)}`)).toMatchObject([{ source: 'query', name: 'count' }])
  })

  it.each([
    'nope',
    'notes',
    'tags',
    'meta',
    'estimate',
    'version',
    'title,nope',
    'title,priority,score,dueAt',
    'Title',
    '--title',
    '+title',
    'title,',
    ',title',
    'title,,score',
    '-',
    'title%20desc',
    'title:desc',
    'title%3Bdrop%20table%20tasks',
    '__proto__',
    'constructor',
    '*',
    '1',
  ])('sorts by up to three fields that are declared, not by %s', async (sort) => {
    expect(await refused(`sort=${sort}`)).toMatchObject([{ code: 'INVALID_SORT', source: 'query', name: 'sort' }])
  })

  it('sorts by something, not by nothing', async () => {
    expect(await refused('sort=')).toMatchObject([{ source: 'query', name: 'sort' }])
  })

  it('takes a cursor of the same list only', async () => {
    const cursor = await cursorOf('limit=3&sort=title&done=false')
    const others = [
      '',
      'sort=title',
      'sort=-title&done=false',
      'sort=title,priority&done=false',
      'sort=title&done=true',
      'sort=title&done[ne]=false',
      'sort=title&done=false&priority=3',
      'done=false',
    ]
    for (const query of others) {
      const details = await refused(`${query}&limit=3&cursor=${cursor}`)
      expect(details).toMatchObject([{ code: 'INVALID_CURSOR', source: 'query', name: 'cursor' }])
    }
    const chores = await service.call(`GET /api/v1/chores?limit=3&sort=title&done=false&cursor=${cursor}`)
    expect([200, 400]).toContain(chores.status)
    for (const same of ['sort=title&done=false', 'done=false&sort=title&count=true&limit=5'])
      expect((await readPage(service, `${same}&cursor=${cursor}`)).data.length).toBeGreaterThan(0)
  })

  it.each(['x', '', 'bnVsbA', 'e30', 'W10', 'null', '%00', '%F0%9F%8D%B5', 'a b', `'--`, '=', 'x'.repeat(7000)])(
    'takes no cursor that is none: %s',
    async (cursor) => {
      expectFailure(await service.call(`GET ${TASKS}?cursor=${encodeURI(decodeURI(cursor))}`), 400, 'INVALID_REQUEST')
    },
  )

  it('takes no cursor that was cut short or changed', async () => {
    const cursor = await cursorOf('limit=3&sort=dueAt')
    for (const end of [1, 2, 3, 5, 10, cursor.length - 1]) {
      const details = await refused(`sort=dueAt&cursor=${cursor.slice(0, -end)}`)
      expect(details).toMatchObject([{ code: 'INVALID_CURSOR', source: 'query', name: 'cursor' }])
    }
    for (let at = 0; at < cursor.length; at++) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
      const { status } = await service.call(`GET ${TASKS}?sort=dueAt&cursor=${changed}`)
      expect([200, 400], changed).toContain(status)
    }
  })

  it.each<[sort: string, what: string, after: unknown]>([
    ['id', 'a text for an id', ['1']],
    ['id', 'no id', [null]],
    ['id', 'a fraction', [1.5]],
    ['id', 'too large an id', [1e300]],
    ['id', 'too few', []],
    ['id', 'too many', [1, 2]],
    ['id', 'a list in a list', [[1]]],
    ['id', 'an object', [{ toString: 1 }]],
    ['id', 'no list', 1],
    ['title', 'a number for a text', [7, 1]],
    ['title', 'U+0000', ['a\u0000', 1]],
    ['title', 'half a character', ['\uD800', 1]],
    ['title', 'a boolean', [true, 1]],
    ['done', 'a text for a boolean', ['true', 1]],
    ['done', 'a number for a boolean', [1, 1]],
    ['score', 'a text for a number', ['1', 1]],
    ['priority', 'a fraction for an integer', [1.5, 1]],
    ['dueAt', 'no time', ['yesterday', 1]],
    ['dueAt', 'SQL for a time', ["'; drop table tasks; --", 1]],
    ['dueAt', 'a number for a time', [1, 1]],
    ['dueDate', 'no date', ['2026-13-45', 1]],
    ['dueDate', 'infinity', ['infinity', 1]],
    ['createdAt', 'none', [null, 1]],
    ['createdAt', 'no time', ['now', 1]],
  ])('takes no cursor by %s that was forged: %s', async (sort, _what, after) => {
    const real = JSON.parse(Buffer.from(await cursorOf(`limit=3&sort=${sort}`), 'base64url').toString()) as unknown[]
    const at = real.findIndex(Array.isArray)
    expect(at, 'the place in a cursor is a list').toBeGreaterThan(-1)
    const forged = Buffer.from(JSON.stringify(real.with(at, after))).toString('base64url')
    expect(await refused(`sort=${sort}&cursor=${forged}`)).toMatchObject([{ code: 'INVALID_CURSOR', name: 'cursor' }])
  })

  it('has a weak ETag, and is 304 while nothing changes', async () => {
    const query = `${TASKS}?limit=5&sort=-priority`
    const first = await service.call(`GET ${query}`)
    const etag = first.headers['etag'] ?? ''
    expect(etag).toMatch(/^W\/"[\x21\x23-\x7e]+"$/)
    expect((await service.call(`GET ${query}`)).headers['etag']).toBe(etag)
    for (const tag of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const answer = await service.call(`GET ${query}`, { headers: { 'If-None-Match': tag } })
      expect([answer.status, answer.body, answer.headers['etag']]).toEqual([304, '', etag])
      expect(answer.headers['cache-control']).toBe('private, no-cache')
      expect(answer.headers['vary']).toBe(first.headers['vary'])
      expectGuarded(answer)
    }
    const { item } = await service.make({ title: 'another', priority: 5 })
    await service.call(`PATCH ${TASKS}/${rows[4]?.id}`, { body: { priority: 5, notes: 'changed' } })
    const after = await service.call(`GET ${query}`, { headers: { 'If-None-Match': etag } })
    expect(after.status).toBe(200)
    expect(after.headers['etag']).not.toBe(etag)
    await service.call(`DELETE ${TASKS}/${item.id}`)
  })

  it('refuses an If-None-Match that is none', async () => {
    const answer = await service.call(`GET ${TASKS}`, { headers: { 'If-None-Match': 'abc' } })
    expect(expectFailure(answer, 400, 'INVALID_REQUEST').details).toMatchObject([{ source: 'header' }])
  })

  it('keeps to what is reserved', async () => {
    for (const name of ['fields', 'expand', 'q'])
      expect([200, 400]).toContain((await service.call(`GET ${TASKS}?${name}=title`)).status)
  })
})
