import { beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, type CallParts, type Made, pageOf, startService } from './service.ts'
import { distinctStores } from './stores.ts'

const DOCUMENTS = '/api/v1/documents'
const EVERY: readonly [method: string, onItem: boolean][] = [
  ['GET', false],
  ['POST', false],
  ['GET', true],
  ['PUT', true],
  ['PATCH', true],
  ['DELETE', true],
]

describe.each(distinctStores)('access to a resource on $store', (kind) => {
  const service = startService(kind)
  let hers: Made
  let his: Made
  beforeAll(async () => {
    hers = await service.make({ slug: 'hers', body: 'secret' }, { path: DOCUMENTS, as: 'ada' })
    his = await service.make({ slug: 'his', team: 'blue' }, { path: DOCUMENTS, as: 'bob' })
  })
  const call = (method: string, path: string, parts: CallParts) =>
    service.call(`${method} ${path}`, {
      ...(['POST', 'PUT', 'PATCH'].includes(method) && { body: { slug: 'another' } }),
      ...parts,
    })
  const listFor = async (as: string, query = ''): Promise<{ slugs: unknown[]; total: number | undefined }> => {
    const response = await service.call(`GET ${DOCUMENTS}?limit=100&count=true${query}`, { as })
    expect(response.status).toBe(200)
    const { data, pagination } = pageOf(response)
    return { slugs: data.map(({ slug }) => slug), total: pagination.total }
  }

  it.each(EVERY)('%s without a user returns 401 (on a row: %s)', async (method, onItem) => {
    for (const path of onItem ? [hers.path, `${DOCUMENTS}/777777`] : [DOCUMENTS]) {
      const response = await call(method, path, {})
      expectFailure(response, 401, 'UNAUTHORIZED')
      expect(response.headers['www-authenticate']).toBe('Bearer')
    }
  })

  it.each(EVERY)('%s by a forbidden user returns 403 (on a row: %s)', async (method, onItem) => {
    for (const path of onItem ? [hers.path, `${DOCUMENTS}/777777`] : [DOCUMENTS])
      expectFailure(await call(method, path, { as: 'mute' }), 403, 'FORBIDDEN')
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])(
    '%s of a row of another user returns the same 404 as a missing row',
    async (method) => {
      const [foreign, missing] = [
        await call(method, hers.path, { as: 'bob', headers: { 'X-Request-Id': 'one-and-the-same' } }),
        await call(method, `${DOCUMENTS}/777777`, { as: 'bob', headers: { 'X-Request-Id': 'one-and-the-same' } }),
      ]
      expectFailure(foreign, 404, 'NOT_FOUND')
      const { date: _one, 'content-length': _three, ...foreignHeaders } = foreign.headers
      const { date: _two, 'content-length': _four, ...missingHeaders } = missing.headers
      expect([foreign.status, foreignHeaders]).toEqual([missing.status, missingHeaders])
      expect(foreign.body.replaceAll(String(hers.item.id), 'n')).toBe(missing.body.replaceAll('777777', 'n'))
      for (const headers of [
        { 'If-Match': hers.etag },
        { 'If-Match': '"x"' },
        { 'If-Match': '*' },
        { 'If-None-Match': '*' },
      ])
        expectFailure(await call(method, hers.path, { as: 'bob', headers }), 404, 'NOT_FOUND')
      expectFailure(await call(method, hers.path, { as: 'bob', body: { nope: 1 } }), 404, 'NOT_FOUND')
      expect(bodyOf(await service.call(`GET ${hers.path}`, { as: 'ada' }))).toEqual(hers.item)
    },
  )

  it('lists and counts include only rows of the user', async () => {
    expect(await listFor('ada')).toEqual({ slugs: ['hers'], total: 1 })
    expect(await listFor('bob')).toEqual({ slugs: ['his'], total: 1 })
    expect(await listFor('eve')).toEqual({ slugs: [], total: 0 })
    expect(await listFor('pair')).toEqual({ slugs: ['hers', 'his'], total: 2 })
    expect(await listFor('root')).toEqual({ slugs: ['hers', 'his'], total: 2 })
    expect(await listFor('red')).toEqual({ slugs: ['hers'], total: 1 })
    expect(await listFor('bob', '&slug=hers')).toEqual({ slugs: [], total: 0 })
    expect(await listFor('bob', '&slug[ne]=x&team[in]=red,blue')).toEqual({ slugs: ['his'], total: 1 })
  })

  it('a cursor of another user does not show hidden rows', async () => {
    const response = await service.call(`GET ${DOCUMENTS}?limit=1&sort=slug`, { as: 'root' })
    const { nextCursor } = pageOf(response).pagination
    const other = await service.call(`GET ${DOCUMENTS}?limit=1&sort=slug&cursor=${nextCursor}`, { as: 'ada' })
    expect([200, 400]).toContain(other.status)
    expect(pageOf(other).data ?? []).toEqual([])
  })

  it('an ETag of a list is not valid for another user', async () => {
    const mine = await service.call(`GET ${DOCUMENTS}`, { as: 'ada' })
    const etag = mine.headers['etag'] ?? ''
    const headers = { 'If-None-Match': etag }
    expect((await service.call(`GET ${DOCUMENTS}`, { as: 'ada', headers })).status).toBe(304)
    expect((await service.call(`GET ${DOCUMENTS}`, { as: 'bob', headers })).status).toBe(200)
    expectFailure(
      await service.call(`GET ${hers.path}`, { as: 'bob', headers: { 'If-None-Match': hers.etag } }),
      404,
      'NOT_FOUND',
    )
  })

  it('assigned fields are not shown and cannot be set', async () => {
    expect(Object.keys(hers.item).toSorted()).toEqual(['body', 'code', 'createdAt', 'id', 'slug', 'team', 'updatedAt'])
    for (const [line, as] of [
      [`POST ${DOCUMENTS}`, 'bob'],
      [`PUT ${his.path}`, 'bob'],
      [`PATCH ${his.path}`, 'bob'],
    ] as const) {
      const response = await service.call(line, { as, body: { slug: 'given', ownerId: 'ada' } })
      expect(expectFailure(response, 400, 'INVALID_REQUEST').details).toMatchObject([
        { source: 'body', pointer: '/ownerId' },
      ])
    }
    expectFailure(await service.call(`GET ${DOCUMENTS}?ownerId=ada`, { as: 'bob' }), 400, 'INVALID_REQUEST')
  })

  it('assigned fields in the schema are shown and cannot be changed', async () => {
    const letters = '/api/v1/letters'
    const { item, path } = await service.make({ slug: 'one' }, { path: letters, as: 'ada' })
    expect(item).toMatchObject({ slug: 'one', body: 'by ada' })
    for (const [line, as] of [
      [`POST ${letters}`, 'bob'],
      [`PUT ${path}`, 'bob'],
      [`PATCH ${path}`, 'ada'],
    ] as const) {
      const response = await service.call(line, { as, body: { slug: 'two', body: 'by eve' } })
      const { details } = expectFailure(response, 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ code: 'READ_ONLY', source: 'body', pointer: '/body' }])
    }
    for (const [method, slug] of [
      ['PUT', 'three'],
      ['PATCH', 'four'],
    ] as const) {
      const response = await service.call(`${method} ${path}`, { as: 'bob', body: { slug } })
      expect([response.status, bodyOf(response)]).toMatchObject([200, { slug, body: 'by ada' }])
    }
    const same = await service.call(`PATCH ${path}`, { as: 'bob', body: { slug: 'five', body: 'by ada' } })
    expect([same.status, bodyOf(same)]).toMatchObject([200, { slug: 'five', body: 'by ada' }])
    expectFailure(await service.call(`POST ${letters}`, { body: { slug: 'six' } }), 401, 'UNAUTHORIZED')
  })

  it('a row keeps its owner when another user changes it', async () => {
    const { path } = await service.make({ slug: 'kept' }, { path: DOCUMENTS, as: 'ada' })
    expect((await service.call(`PUT ${path}`, { as: 'root', body: { slug: 'kept', body: 'by root' } })).status).toBe(
      200,
    )
    expect(bodyOf(await service.call(`GET ${path}`, { as: 'ada' }))).toMatchObject({ body: 'by root' })
    expectFailure(await service.call(`GET ${path}`, { as: 'bob' }), 404, 'NOT_FOUND')
    expect((await service.call(`DELETE ${path}`, { as: 'ada' })).status).toBe(200)
  })

  it('a user cannot create a row, or move one, outside of their access rule', async () => {
    const { path, item } = await service.make({ slug: 'of the team' }, { path: DOCUMENTS, as: 'red' })
    for (const method of ['PUT', 'PATCH'])
      expectFailure(
        await service.call(`${method} ${path}`, { as: 'red', body: { slug: 'moved', team: 'blue' } }),
        403,
        'FORBIDDEN',
      )
    expectFailure(
      await service.call(`POST ${DOCUMENTS}`, { as: 'red', body: { slug: 'made', team: 'blue' } }),
      403,
      'FORBIDDEN',
    )
    expect(bodyOf(await service.call(`GET ${path}`, { as: 'red' }))).toEqual(item)
    expect((await service.call(`PATCH ${path}`, { as: 'red', body: { body: 'more' } })).status).toBe(200)
    expect((await service.call(`PATCH ${path}`, { as: 'root', body: { team: 'blue' } })).status).toBe(200)
    expectFailure(await service.call(`GET ${path}`, { as: 'red' }), 404, 'NOT_FOUND')
    await service.call(`DELETE ${path}`, { as: 'root' })
  })

  it('DELETE returns only the id if the user cannot read the row', async () => {
    const { item, path } = await service.make({ slug: 'shredded' }, { path: DOCUMENTS, as: 'ada' })
    expectFailure(await service.call(`GET ${path}`, { as: 'shredder' }), 403, 'FORBIDDEN')
    const response = await service.call(`DELETE ${path}`, { as: 'shredder' })
    expect([response.status, response.body]).toEqual([200, `{"id":${item.id}}`])
    expectFailure(await service.call(`GET ${path}`, { as: 'ada' }), 404, 'NOT_FOUND')
  })

  it('DELETE returns the row only if the user can read it', async () => {
    const [foreign, own] = [
      await service.make({ slug: 'swept' }, { path: DOCUMENTS, as: 'ada' }),
      await service.make({ slug: 'own' }, { path: DOCUMENTS, as: 'janitor' }),
    ]
    const responses = [
      await service.call(`DELETE ${foreign.path}`, { as: 'janitor' }),
      await service.call(`DELETE ${own.path}`, { as: 'janitor' }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(responses.map(bodyOf)).toEqual([{ id: foreign.item.id }, own.item])
  })

  it('a rule can match null or an empty list', async () => {
    const coded = await service.make({ slug: 'coded', code: 1 }, { path: DOCUMENTS, as: 'ada' })
    expect(await listFor('plain')).toEqual({ slugs: ['hers'], total: 1 })
    expectFailure(await service.call(`GET ${coded.path}`, { as: 'plain' }), 404, 'NOT_FOUND')
    expect((await service.call(`GET ${hers.path}`, { as: 'plain' })).status).toBe(200)
    expectFailure(await service.call(`PATCH ${hers.path}`, { as: 'plain', body: { code: 2 } }), 403, 'FORBIDDEN')
    expect(await listFor('nobodys')).toEqual({ slugs: [], total: 0 })
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      expectFailure(await call(method, hers.path, { as: 'nobodys' }), 404, 'NOT_FOUND')
    await service.call(`DELETE ${coded.path}`, { as: 'ada' })
  })

  it('a rule that throws returns 500 and only logs its message', async () => {
    for (const [method, onItem] of EVERY) {
      const response = await call(method, onItem ? hers.path : DOCUMENTS, { as: 'crash' })
      expect(expectFailure(response, 500, 'INTERNAL_SERVER_ERROR').details).toEqual([])
      expect(response.body).not.toContain('swordfish')
    }
    expect(service.log.join()).toContain('swordfish')
  })

  it('a user with read access cannot write', async () => {
    expect(bodyOf(await service.call(`GET ${hers.path}`, { as: 'reader' }))).toEqual(hers.item)
    expectFailure(await call('POST', DOCUMENTS, { as: 'reader' }), 403, 'FORBIDDEN')
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expectFailure(await call(method, hers.path, { as: 'reader' }), 403, 'FORBIDDEN')
  })

  it('a taken value returns 409, even if the user cannot see its row', async () => {
    const detail = { code: 'NOT_UNIQUE', source: 'body', pointer: '/slug' }
    const made = await call('POST', DOCUMENTS, { as: 'bob', body: { slug: 'hers' } })
    expect(expectFailure(made, 409, 'CONFLICT').details).toMatchObject([detail])
    for (const method of ['PUT', 'PATCH']) {
      const moved = await call(method, his.path, { as: 'bob', body: { slug: 'hers' } })
      expect(expectFailure(moved, 409, 'CONFLICT').details).toMatchObject([detail])
      expect(moved.body).not.toContain('secret')
    }
    expect(bodyOf(await service.call(`GET ${his.path}`, { as: 'bob' }))).toEqual(his.item)
    expect((await call('PATCH', his.path, { as: 'bob', body: { slug: 'his' } })).status).toBe(200)
  })

  it('a unique value is free after its row is deleted, and null is always free', async () => {
    const first = await service.make({ slug: 'reused', code: 7 }, { path: DOCUMENTS, as: 'ada' })
    const again = await call('POST', DOCUMENTS, { as: 'ada', body: { slug: 'other', code: 7 } })
    expect(expectFailure(again, 409, 'CONFLICT').details).toMatchObject([{ code: 'NOT_UNIQUE', pointer: '/code' }])
    await service.call(`DELETE ${first.path}`, { as: 'ada' })
    const second = await service.make({ slug: 'reused', code: 7 }, { path: DOCUMENTS, as: 'ada' })
    for (const slug of ['without a code', 'without one either'])
      await service.call(`DELETE ${(await service.make({ slug }, { path: DOCUMENTS, as: 'ada' })).path}`, { as: 'ada' })
    await service.call(`DELETE ${second.path}`, { as: 'ada' })
  })

  it('unique values are compared by every character', async () => {
    const slugs = ['cafe', 'CAFE', 'café', 'cafe\u0301', 'cafe ', ' cafe', 'cafe\u200B', 'ｃａｆｅ', 'cafe\t']
    const made = []
    for (const slug of slugs) made.push(await service.make({ slug }, { path: DOCUMENTS, as: 'eve' }))
    for (const slug of slugs)
      expectFailure(await call('POST', DOCUMENTS, { as: 'eve', body: { slug } }), 409, 'CONFLICT')
    for (const { path } of made) await service.call(`DELETE ${path}`, { as: 'eve' })
  })

  it('concurrent requests with the same unique value create one row', async () => {
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => call('POST', DOCUMENTS, { as: 'ada', body: { slug: 'contested' } })),
    )
    expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 409, 409, 409, 409,
    ])
  })
})
