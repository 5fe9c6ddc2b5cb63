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
    const answer = await service.call(`GET ${DOCUMENTS}?limit=100&count=true${query}`, { as })
    expect(answer.status).toBe(200)
    const { data, pagination } = pageOf(answer)
    return { slugs: data.map(({ slug }) => slug), total: pagination.total }
  }

  it.each(EVERY)('%s by nobody is 401 (on a row: %s)', async (method, onItem) => {
    for (const path of onItem ? [hers.path, `${DOCUMENTS}/777777`] : [DOCUMENTS]) {
      const answer = await call(method, path, {})
      expectFailure(answer, 401, 'UNAUTHORIZED')
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    }
  })

  it.each(EVERY)('%s by who may not is 403 (on a row: %s)', async (method, onItem) => {
    for (const path of onItem ? [hers.path, `${DOCUMENTS}/777777`] : [DOCUMENTS])
      expectFailure(await call(method, path, { as: 'mute' }), 403, 'FORBIDDEN')
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])(
    '%s of what is not one’s own is 404, as if it were not',
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

  it('lists and counts have one’s own rows only', async () => {
    expect(await listFor('ada')).toEqual({ slugs: ['hers'], total: 1 })
    expect(await listFor('bob')).toEqual({ slugs: ['his'], total: 1 })
    expect(await listFor('eve')).toEqual({ slugs: [], total: 0 })
    expect(await listFor('pair')).toEqual({ slugs: ['hers', 'his'], total: 2 })
    expect(await listFor('root')).toEqual({ slugs: ['hers', 'his'], total: 2 })
    expect(await listFor('red')).toEqual({ slugs: ['hers'], total: 1 })
    expect(await listFor('bob', '&slug=hers')).toEqual({ slugs: [], total: 0 })
    expect(await listFor('bob', '&slug[ne]=x&team[in]=red,blue')).toEqual({ slugs: ['his'], total: 1 })
  })

  it('a cursor shows nobody more than they may see', async () => {
    const answer = await service.call(`GET ${DOCUMENTS}?limit=1&sort=slug`, { as: 'root' })
    const { nextCursor } = pageOf(answer).pagination
    const other = await service.call(`GET ${DOCUMENTS}?limit=1&sort=slug&cursor=${nextCursor}`, { as: 'ada' })
    expect([200, 400]).toContain(other.status)
    expect(pageOf(other).data ?? []).toEqual([])
  })

  it('a version of one caller’s list is none of another’s', async () => {
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

  it('what is assigned is neither shown nor set', async () => {
    expect(Object.keys(hers.item).toSorted()).toEqual(['body', 'code', 'createdAt', 'id', 'slug', 'team', 'updatedAt'])
    for (const [line, as] of [
      [`POST ${DOCUMENTS}`, 'bob'],
      [`PUT ${his.path}`, 'bob'],
      [`PATCH ${his.path}`, 'bob'],
    ] as const) {
      const answer = await service.call(line, { as, body: { slug: 'given', ownerId: 'ada' } })
      expect(expectFailure(answer, 400, 'INVALID_REQUEST').details).toMatchObject([
        { source: 'body', pointer: '/ownerId' },
      ])
    }
    expectFailure(await service.call(`GET ${DOCUMENTS}?ownerId=ada`, { as: 'bob' }), 400, 'INVALID_REQUEST')
  })

  it('what is assigned and declared is shown, and stays', async () => {
    const letters = '/api/v1/letters'
    const { item, path } = await service.make({ slug: 'one' }, { path: letters, as: 'ada' })
    expect(item).toMatchObject({ slug: 'one', body: 'by ada' })
    for (const [line, as] of [
      [`POST ${letters}`, 'bob'],
      [`PUT ${path}`, 'bob'],
      [`PATCH ${path}`, 'ada'],
    ] as const) {
      const answer = await service.call(line, { as, body: { slug: 'two', body: 'by eve' } })
      const { details } = expectFailure(answer, 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ code: 'READ_ONLY', source: 'body', pointer: '/body' }])
    }
    for (const [method, slug] of [
      ['PUT', 'three'],
      ['PATCH', 'four'],
    ] as const) {
      const answer = await service.call(`${method} ${path}`, { as: 'bob', body: { slug } })
      expect([answer.status, bodyOf(answer)]).toMatchObject([200, { slug, body: 'by ada' }])
    }
    const same = await service.call(`PATCH ${path}`, { as: 'bob', body: { slug: 'five', body: 'by ada' } })
    expect([same.status, bodyOf(same)]).toMatchObject([200, { slug: 'five', body: 'by ada' }])
    expectFailure(await service.call(`POST ${letters}`, { body: { slug: 'six' } }), 401, 'UNAUTHORIZED')
  })

  it('a row stays whose it is, whoever changes it', async () => {
    const { path } = await service.make({ slug: 'kept' }, { path: DOCUMENTS, as: 'ada' })
    expect((await service.call(`PUT ${path}`, { as: 'root', body: { slug: 'kept', body: 'by root' } })).status).toBe(
      200,
    )
    expect(bodyOf(await service.call(`GET ${path}`, { as: 'ada' }))).toMatchObject({ body: 'by root' })
    expectFailure(await service.call(`GET ${path}`, { as: 'bob' }), 404, 'NOT_FOUND')
    expect((await service.call(`DELETE ${path}`, { as: 'ada' })).status).toBe(200)
  })

  it('nobody moves a row out of their own reach, or makes one there', async () => {
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

  it('who may delete and not read learns the id', async () => {
    const { item, path } = await service.make({ slug: 'shredded' }, { path: DOCUMENTS, as: 'ada' })
    expectFailure(await service.call(`GET ${path}`, { as: 'shredder' }), 403, 'FORBIDDEN')
    const answer = await service.call(`DELETE ${path}`, { as: 'shredder' })
    expect([answer.status, answer.body]).toEqual([200, `{"id":${item.id}}`])
    expectFailure(await service.call(`GET ${path}`, { as: 'ada' }), 404, 'NOT_FOUND')
  })

  it('who may delete all and read their own sees their own', async () => {
    const [foreign, own] = [
      await service.make({ slug: 'swept' }, { path: DOCUMENTS, as: 'ada' }),
      await service.make({ slug: 'own' }, { path: DOCUMENTS, as: 'janitor' }),
    ]
    const answers = [
      await service.call(`DELETE ${foreign.path}`, { as: 'janitor' }),
      await service.call(`DELETE ${own.path}`, { as: 'janitor' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers.map(bodyOf)).toEqual([{ id: foreign.item.id }, own.item])
  })

  it('a rule may want no value, or none of all', async () => {
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

  it('a rule that fails lets nobody in, and keeps its words', async () => {
    for (const [method, onItem] of EVERY) {
      const answer = await call(method, onItem ? hers.path : DOCUMENTS, { as: 'crash' })
      expect(expectFailure(answer, 500, 'INTERNAL_SERVER_ERROR').details).toEqual([])
      expect(answer.body).not.toContain('swordfish')
    }
    expect(service.log.join()).toContain('swordfish')
  })

  it('who may read reads, and no more', async () => {
    expect(bodyOf(await service.call(`GET ${hers.path}`, { as: 'reader' }))).toEqual(hers.item)
    expectFailure(await call('POST', DOCUMENTS, { as: 'reader' }), 403, 'FORBIDDEN')
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expectFailure(await call(method, hers.path, { as: 'reader' }), 403, 'FORBIDDEN')
  })

  it('a value that is taken is 409, even by a row that one cannot see', async () => {
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

  it('a value is free again when its row is gone; no value is never taken', async () => {
    const first = await service.make({ slug: 'reused', code: 7 }, { path: DOCUMENTS, as: 'ada' })
    const again = await call('POST', DOCUMENTS, { as: 'ada', body: { slug: 'other', code: 7 } })
    expect(expectFailure(again, 409, 'CONFLICT').details).toMatchObject([{ code: 'NOT_UNIQUE', pointer: '/code' }])
    await service.call(`DELETE ${first.path}`, { as: 'ada' })
    const second = await service.make({ slug: 'reused', code: 7 }, { path: DOCUMENTS, as: 'ada' })
    for (const slug of ['without a code', 'without one either'])
      await service.call(`DELETE ${(await service.make({ slug }, { path: DOCUMENTS, as: 'ada' })).path}`, { as: 'ada' })
    await service.call(`DELETE ${second.path}`, { as: 'ada' })
  })

  it('values are the same only when every character is', async () => {
    const slugs = ['cafe', 'CAFE', 'café', 'cafe\u0301', 'cafe ', ' cafe', 'cafe\u200B', 'ｃａｆｅ', 'cafe\t']
    const made = []
    for (const slug of slugs) made.push(await service.make({ slug }, { path: DOCUMENTS, as: 'eve' }))
    for (const slug of slugs)
      expectFailure(await call('POST', DOCUMENTS, { as: 'eve', body: { slug } }), 409, 'CONFLICT')
    for (const { path } of made) await service.call(`DELETE ${path}`, { as: 'eve' })
  })

  it('of rows at once with one value, one is made', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call('POST', DOCUMENTS, { as: 'ada', body: { slug: 'contested' } })),
    )
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409, 409, 409, 409])
  })
})
