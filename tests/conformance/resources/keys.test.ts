import { describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, startService } from './service.ts'
import { createPages, createSeats } from './showcase.ts'
import { distinctStores } from './stores.ts'

const PAGES = '/api/v1/pages'
const SEATS = '/api/v1/seats'

describe.each(distinctStores)('rows by key on $store', (kind) => {
  const service = startService(kind, {
    routes: async (router, open) =>
      router
        .resource('v1', createPages(await open.source('documents', 'pages')))
        .resource('v1', createSeats(await open.source('members', 'seats'))),
  })
  const call = (line: string, body?: object, as = 'ada', headers: Record<string, string> = {}) => {
    const [, method, slug = ''] = /^(\w+) (.*)$/.exec(line) ?? []
    return service.call(`${method} ${PAGES}/by-slug/${encodeURIComponent(slug)}`, {
      as,
      headers,
      ...(body !== undefined && { body }),
    })
  }
  const make = (slug: string, as = 'ada') => service.make({ slug }, { path: PAGES, as })

  it('are read, updated and deleted as by id', async () => {
    const { item, etag } = await make('a b/ö')
    const read = await call('GET a b/ö')
    expect([read.status, read.headers['etag'], bodyOf(read)]).toEqual([200, etag, item])
    expect((await call('GET a b/ö', undefined, 'ada', { 'if-none-match': etag })).status).toBe(304)
    const changed = await call('PATCH a b/ö', { body: 'new' })
    expect([changed.status, bodyOf(changed)]).toMatchObject([200, { id: item.id, slug: 'a b/ö', body: 'new' }])
    expectFailure(await call('PATCH a b/ö', { body: 'x' }, 'ada', { 'if-match': etag }), 412, 'PRECONDITION_FAILED')
    expect((await call('DELETE a b/ö')).status).toBe(200)
    expectFailure(await call('GET a b/ö'), 404, 'NOT_FOUND')
    expectFailure(await call('DELETE a b/ö'), 404, 'NOT_FOUND')
  })

  it('are created by the first PUT and replaced by the next', async () => {
    const first = await call('PUT put', { body: 'one', team: 'blue' })
    const item = bodyOf(first) as { id: number }
    expect([first.status, first.headers['location']]).toEqual([201, `${PAGES}/${item.id}`])
    expect(item).toMatchObject({ slug: 'put', body: 'one', team: 'blue' })
    const second = await call('PUT put', { slug: 'put', body: 'two' })
    // Omitted fields get their defaults, as in a PUT by id.
    expect([second.status, bodyOf(second)]).toMatchObject([200, { id: item.id, body: 'two', team: 'red' }])
  })

  it('are created once by concurrent PUTs', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => call('PUT race', { body: `${at}` })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(new Set(answers.map((answer) => (bodyOf(answer) as { id: number }).id)).size).toBe(1)
  })

  it('are only created with If-None-Match: *, and only replaced with If-Match', async () => {
    expectFailure(await call('PUT only', {}, 'ada', { 'if-match': '*' }), 412, 'PRECONDITION_FAILED')
    expectFailure(await call('GET only'), 404, 'NOT_FOUND')
    expect((await call('PUT only', {}, 'ada', { 'if-none-match': '*' })).status).toBe(201)
    expectFailure(await call('PUT only', {}, 'ada', { 'if-none-match': '*' }), 412, 'PRECONDITION_FAILED')
    expect((await call('PUT only', { body: 'x' }, 'ada', { 'if-match': '*' })).status).toBe(200)
  })

  it('of other owners are 404, and 409 for PUT', async () => {
    await make('secret', 'bob')
    for (const method of ['GET', 'DELETE']) expectFailure(await call(`${method} secret`), 404, 'NOT_FOUND')
    expectFailure(await call('PATCH secret', { body: 'x' }), 404, 'NOT_FOUND')
    expectFailure(await call('PUT secret', { body: 'x' }), 409, 'CONFLICT')
    expect(bodyOf(await call('GET secret', undefined, 'bob'))).toMatchObject({ body: '' })
  })

  it('need the same permissions as by id', async () => {
    await make('rights')
    expectFailure(await call('PUT rights', {}, 'reader'), 403, 'FORBIDDEN')
    expectFailure(await call('PUT unknown', {}, 'shredder'), 403, 'FORBIDDEN')
    expectFailure(await call('GET rights', undefined, 'mute'), 403, 'FORBIDDEN')
    const anonymous = await service.call(`PUT ${PAGES}/by-slug/rights`, { body: {} })
    expectFailure(anonymous, 401, 'UNAUTHORIZED')
    expect((await call('GET rights', undefined, 'reader')).status).toBe(200)
    expect((await call('GET rights', undefined, 'pair')).status).toBe(200)
  })

  it('are 400 if the body has another key, or the query any parameter', async () => {
    await make('same')
    for (const method of ['PUT', 'PATCH']) {
      const { details } = expectFailure(await call(`${method} same`, { slug: 'other' }), 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ code: 'INVALID_VALUE', source: 'body', pointer: '/slug' }])
    }
    const answer = await service.call(`GET ${PAGES}/by-slug/same?x=1`, { as: 'ada' })
    expect(expectFailure(answer, 400, 'INVALID_REQUEST').details).toMatchObject([{ code: 'UNKNOWN_PARAMETER' }])
    const { details } = expectFailure(await call(`PUT ${'x'.repeat(101)}`, {}), 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ code: 'TOO_LONG', pointer: '/slug' }])
    expectFailure(await call(`GET ${'x'.repeat(101)}`), 404, 'NOT_FOUND')
  })

  it('have no path segment for a field that assign sets', async () => {
    const put = (seat: string, as: string, headers = {}) =>
      service.call(`PUT ${SEATS}/by-owner-id-seat/${seat}`, { as, headers, body: { person: as } })
    const [ada, bob] = [await put('1', 'ada'), await put('1', 'bob')]
    expect([ada.status, bob.status]).toEqual([201, 201])
    const read = await service.call(`GET ${SEATS}/by-owner-id-seat/1`, { as: 'bob' })
    expect(bodyOf(read)).toMatchObject({ person: 'bob', seat: 1 })
    expectFailure(await put('1', 'ada'), 428, 'PRECONDITION_REQUIRED')
    expect((await put('1', 'ada', { 'if-match': ada.headers['etag'] })).status).toBe(200)
    const { details } = expectFailure(await put('one', 'ada'), 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ code: 'INVALID_FORMAT', source: 'path', name: 'seat' }])
    expectFailure(await service.call(`GET ${SEATS}/by-owner-id-seat/1`), 401, 'UNAUTHORIZED')
  })
})
