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
  const rejected = async (query: string) =>
    expectFailure(await service.call(`GET ${TASKS}?${query}`), 400, 'INVALID_REQUEST').details
  const cursorOf = async (query: string): Promise<string> => {
    const { pagination } = await readPage(service, query)
    return pagination.nextCursor ?? ''
  }

  it('can be empty', async () => {
    const response = await service.call('GET /api/v1/chores')
    const pagination = { limit: 20, hasMore: false, nextCursor: null, prevCursor: null }
    expect([response.status, bodyOf(response)]).toEqual([200, { data: [], pagination }])
    expect(response.headers).not.toHaveProperty('link')
  })

  it('has 20 rows by default, with its headers', async () => {
    const response = await service.call(`GET ${TASKS}`)
    const { data, pagination } = pageOf(response)
    expect(data).toEqual(rows.slice(0, 20))
    expect(pagination).toEqual({ limit: 20, hasMore: true, nextCursor: expect.any(String) as string, prevCursor: null })
    expect(response.headers['link']).toMatch(/^<\/api\/v1\/tasks\?limit=20&cursor=[^>&]+>; rel="next"$/)
    expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'private, no-cache' })
    expect((response.headers['vary'] ?? '').split(', ').toSorted()).toEqual(['Accept', 'Authorization', 'Cookie'])
    expectGuarded(response)
  })

  it.each(['0', '101', 'abc', '', '-1', '1.5', '+5', '0x10', '1e1', 'NaN', '99999999999999999999', '%EF%BC%91', '5;'])(
    'rejects a limit that is not between 1 and 100: %j',
    async (limit) => {
      expect(await rejected(`limit=${limit}`)).toMatchObject([{ source: 'query', name: 'limit' }])
    },
  )

  it.each([1, 100])('accepts a limit of %i', async (limit) => {
    const { data, pagination } = await readPage(service, `limit=${limit}`)
    expect([data.length, pagination.limit]).toEqual([Math.min(limit, rows.length), limit])
  })

  it('returns the total number of rows with count=true', async () => {
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

  it.each(['1', 'TRUE', 'yes', '', 'true '])('rejects a count other than true or false: %j', async (count) => {
    expect(await rejected(`count=${encodeURIComponent(count)}`)).toMatchObject([{ source: 'query', name: 'count' }])
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
  ])('rejects a sort other than up to three declared fields: %s', async (sort) => {
    expect(await rejected(`sort=${sort}`)).toMatchObject([{ code: 'INVALID_SORT', source: 'query', name: 'sort' }])
  })

  it('rejects an empty sort', async () => {
    expect(await rejected('sort=')).toMatchObject([{ source: 'query', name: 'sort' }])
  })

  it('accepts only a cursor of the same list', async () => {
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
      const details = await rejected(`${query}&limit=3&cursor=${cursor}`)
      expect(details).toMatchObject([{ code: 'INVALID_CURSOR', source: 'query', name: 'cursor' }])
    }
    const chores = await service.call(`GET /api/v1/chores?limit=3&sort=title&done=false&cursor=${cursor}`)
    expect([200, 400]).toContain(chores.status)
    for (const same of ['sort=title&done=false', 'done=false&sort=title&count=true&limit=5'])
      expect((await readPage(service, `${same}&cursor=${cursor}`)).data.length).toBeGreaterThan(0)
  })

  it.each(['x', '', 'bnVsbA', 'e30', 'W10', 'null', '%00', '%F0%9F%8D%B5', 'a b', `'--`, '=', 'x'.repeat(7000)])(
    'rejects an invalid cursor: %s',
    async (cursor) => {
      expectFailure(await service.call(`GET ${TASKS}?cursor=${encodeURI(decodeURI(cursor))}`), 400, 'INVALID_REQUEST')
    },
  )

  it('rejects a truncated or changed cursor', async () => {
    const cursor = await cursorOf('limit=3&sort=dueAt')
    for (const end of [1, 2, 3, 5, 10, cursor.length - 1]) {
      const details = await rejected(`sort=dueAt&cursor=${cursor.slice(0, -end)}`)
      expect(details).toMatchObject([{ code: 'INVALID_CURSOR', source: 'query', name: 'cursor' }])
    }
    for (let at = 0; at < cursor.length; at++) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
      const { status } = await service.call(`GET ${TASKS}?sort=dueAt&cursor=${changed}`)
      expect([200, 400], changed).toContain(status)
    }
  })

  it.each<[sort: string, name: string, after: unknown]>([
    ['id', 'a string as an id', ['1']],
    ['id', 'null as an id', [null]],
    ['id', 'a fraction', [1.5]],
    ['id', 'an id that is too large', [1e300]],
    ['id', 'too few values', []],
    ['id', 'too many values', [1, 2]],
    ['id', 'a nested list', [[1]]],
    ['id', 'an object', [{ toString: 1 }]],
    ['id', 'a number instead of a list', 1],
    ['title', 'a number as a string', [7, 1]],
    ['title', 'U+0000', ['a\u0000', 1]],
    ['title', 'an unpaired surrogate', ['\uD800', 1]],
    ['title', 'a boolean', [true, 1]],
    ['done', 'a string as a boolean', ['true', 1]],
    ['done', 'a number as a boolean', [1, 1]],
    ['score', 'a string as a number', ['1', 1]],
    ['priority', 'a fraction as an integer', [1.5, 1]],
    ['dueAt', 'an invalid time', ['yesterday', 1]],
    ['dueAt', 'SQL as a time', ["'; drop table tasks; --", 1]],
    ['dueAt', 'a number as a time', [1, 1]],
    ['dueDate', 'an invalid date', ['2026-13-45', 1]],
    ['dueDate', 'infinity', ['infinity', 1]],
    ['createdAt', 'null', [null, 1]],
    ['createdAt', 'an invalid time', ['now', 1]],
  ])('rejects a forged cursor for %s: %s', async (sort, _name, after) => {
    const real = JSON.parse(Buffer.from(await cursorOf(`limit=3&sort=${sort}`), 'base64url').toString()) as unknown[]
    const at = real.findIndex(Array.isArray)
    expect(at, 'the position in a cursor is a list').toBeGreaterThan(-1)
    const forged = Buffer.from(JSON.stringify(real.with(at, after))).toString('base64url')
    expect(await rejected(`sort=${sort}&cursor=${forged}`)).toMatchObject([{ code: 'INVALID_CURSOR', name: 'cursor' }])
  })

  it('has a weak ETag, and returns 304 until a row changes', async () => {
    const query = `${TASKS}?limit=5&sort=-priority`
    const first = await service.call(`GET ${query}`)
    const etag = first.headers['etag'] ?? ''
    expect(etag).toMatch(/^W\/"[\x21\x23-\x7e]+"$/)
    expect((await service.call(`GET ${query}`)).headers['etag']).toBe(etag)
    for (const tag of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const response = await service.call(`GET ${query}`, { headers: { 'If-None-Match': tag } })
      expect([response.status, response.body, response.headers['etag']]).toEqual([304, '', etag])
      expect(response.headers['cache-control']).toBe('private, no-cache')
      expect(response.headers['vary']).toBe(first.headers['vary'])
      expectGuarded(response)
    }
    const { item } = await service.make({ title: 'another', priority: 5 })
    await service.call(`PATCH ${TASKS}/${rows[4]?.id}`, { body: { priority: 5, notes: 'changed' } })
    const after = await service.call(`GET ${query}`, { headers: { 'If-None-Match': etag } })
    expect(after.status).toBe(200)
    expect(after.headers['etag']).not.toBe(etag)
    await service.call(`DELETE ${TASKS}/${item.id}`)
  })

  it('rejects an invalid If-None-Match', async () => {
    const response = await service.call(`GET ${TASKS}`, { headers: { 'If-None-Match': 'abc' } })
    expect(expectFailure(response, 400, 'INVALID_REQUEST').details).toMatchObject([{ source: 'header' }])
  })

  it('does not fail for reserved parameters', async () => {
    for (const name of ['fields', 'expand', 'q'])
      expect([200, 400]).toContain((await service.call(`GET ${TASKS}?${name}=title`)).status)
  })
})
