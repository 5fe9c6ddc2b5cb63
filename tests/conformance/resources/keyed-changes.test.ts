import { describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, startService, TASKS, type CallParts } from './service.ts'
import { createDrafts, createPages, createTasks } from './showcase.ts'
import { distinctStores, stores } from './stores.ts'

const PAGES = '/api/v1/pages'
const DRAFTS = '/api/v1/drafts'

describe.each(distinctStores)('Idempotency-Key of changes on $store', (kind) => {
  const service = startService(kind, {
    routes: async (router, open, changes) =>
      router
        .resource('v1', createTasks('tasks', await open.source('tasks', 'tasks'), changes))
        .resource('v1', createDrafts(await open.source('tasks', 'drafts')))
        .resource('v1', createPages(await open.source('documents', 'pages'))),
  })
  const send = (key: string, line: string, { headers, ...parts }: CallParts = {}) =>
    service.call(line, { ...parts, headers: { 'Idempotency-Key': key, ...headers } })
  const titleAt = async (path: string): Promise<unknown> => bodyOf(await service.call(`GET ${path}`))['title']

  it.each(['PUT', 'PATCH'])('%s changes the row once, and replays the response after later changes', async (method) => {
    const { path } = await service.make({ title: `${method} first` })
    const change = { body: { title: `${method} second` } }
    const first = await send('once', `${method} ${path}`, change)
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([200, undefined])
    expect(await titleAt(path)).toBe(`${method} second`)
    await service.call(`PATCH ${path}`, { body: { title: 'third' } })
    const again = await send('once', `${method} ${path}`, change)
    expect([again.status, again.body, again.headers['etag']]).toEqual([200, first.body, first.headers['etag']])
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(await titleAt(path)).toBe('third')
    expect(service.changes.filter((text) => text === `updated ${method} first to ${method} second`)).toHaveLength(1)
    await service.call(`DELETE ${path}`)
    expect((await send('once', `${method} ${path}`, change)).body).toBe(first.body)
    expectFailure(await send('later', `${method} ${path}`, change), 404, 'NOT_FOUND')
  })

  it('replays the response of a change without effect', async () => {
    const { path, item } = await service.make({ title: 'same' })
    const same = { body: { title: 'same' } }
    expect(bodyOf(await send('same', `PATCH ${path}`, same))).toEqual(item)
    await service.call(`PATCH ${path}`, { body: { title: 'other' } })
    const again = await send('same', `PATCH ${path}`, same)
    expect([bodyOf(again), again.headers['idempotent-replayed']]).toEqual([item, 'true'])
    expect(await titleAt(path)).toBe('other')
  })

  it('DELETE replays the response when the row is gone', async () => {
    const { path, item } = await service.make({ title: 'deleted once' })
    const responses = [await send('gone', `DELETE ${path}`), await send('gone', `DELETE ${path}`)]
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(responses.map((response) => bodyOf(response))).toEqual([item, item])
    expect(responses.map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true'])
    expectFailure(await send('other', `DELETE ${path}`), 404, 'NOT_FOUND')
    expectFailure(await service.call(`DELETE ${path}`), 404, 'NOT_FOUND')
    expect(service.changes.filter((text) => text === 'deleted deleted once')).toHaveLength(1)
  })

  it.each(['PUT', 'PATCH', 'DELETE'])('with If-Match, a repeated %s is not a 412', async (method) => {
    const { path, etag } = await service.make({ title: 'a' }, { path: DRAFTS })
    const body = method === 'DELETE' ? {} : { body: { title: 'b' } }
    const change = (key: string) => send(key, `${method} ${path}`, { ...body, headers: { 'If-Match': etag } })
    const first = await change('matched')
    const again = await change('matched')
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body])
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect((await change('unmatched')).status).toBe(method === 'DELETE' ? 404 : 412)
  })

  it('does not store a failed change, so that it can be repeated', async () => {
    const { path, etag } = await service.make({ title: 'a' }, { path: DRAFTS })
    const change = (ifMatch: string) =>
      send('failed', `PATCH ${path}`, { body: { title: 'b' }, headers: { 'If-Match': ifMatch } })
    for (const _turn of [1, 2]) expectFailure(await change('"0-0-0"'), 412, 'PRECONDITION_FAILED')
    expectFailure(await send('failed', `PATCH ${path}`, { body: { title: '' } }), 428, 'PRECONDITION_REQUIRED')
    expect((await change(etag)).headers).not.toHaveProperty('idempotent-replayed')
    expect((await change(etag)).headers['idempotent-replayed']).toBe('true')
  })

  it('rejects another change with the same key, and is specific to a method and a row', async () => {
    const [one, two] = [await service.make({ title: 'one' }), await service.make({ title: 'two' })]
    expect((await send('reused', `PATCH ${one.path}`, { body: { priority: 1 } })).status).toBe(200)
    for (const body of [{ priority: 2 }, { priority: 'x' }])
      expectFailure(await send('reused', `PATCH ${one.path}`, { body }), 422, 'IDEMPOTENCY_KEY_REUSED')
    for (const line of [`PATCH ${two.path}`, `PUT ${one.path}`, `DELETE ${one.path}`]) {
      const parts = line.startsWith('DELETE') ? {} : { body: { title: 'x', priority: 1 } }
      const response = await send('reused', line, parts)
      expect([response.status, response.headers['idempotent-replayed']]).toEqual([200, undefined])
    }
  })

  it('changes the row once for concurrent requests', async () => {
    const { path } = await service.make({ title: 'parallel' })
    const body = { title: 'parallel changed' }
    const responses = await Promise.all(Array.from({ length: 6 }, () => send('parallel', `PATCH ${path}`, { body })))
    const done = responses.filter(({ status }) => status === 200)
    expect(done.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1)
    expect(new Set(done.map((response) => response.body)).size).toBe(1)
    for (const response of responses.filter(({ status }) => status !== 200))
      expectFailure(response, 409, 'IDEMPOTENCY_KEY_IN_USE')
    expect(service.changes.filter((text) => text === 'updated parallel to parallel changed')).toHaveLength(1)
  })

  it('applies concurrent changes with different keys to the current row', async () => {
    const { path } = await service.make({ title: 'busy' })
    const changes = [{ priority: 5 }, { done: true }, { estimate: 7 }, { score: 1.5 }, { notes: 'x' }]
    const responses = await Promise.all(changes.map((body, at) => send(`busy ${at}`, `PATCH ${path}`, { body })))
    expect(responses.map(({ status }) => status)).toEqual(changes.map(() => 200))
    expect(bodyOf(await service.call(`GET ${path}`))).toMatchObject(Object.assign({}, ...changes) as object)
  })

  it('works for rows by key, including the PUT that creates the row', async () => {
    const ada = { as: 'ada' }
    const page = `${PAGES}/by-slug/keyed`
    const put = () => send('put', `PUT ${page}`, { ...ada, body: { body: 'one' }, headers: { 'If-None-Match': '*' } })
    const made = await put()
    expect([made.status, (await put()).status, (await put()).body]).toEqual([201, 201, made.body])
    const change = () => send('patch', `PATCH ${page}`, { ...ada, body: { body: 'two' } })
    const changed = await change()
    const remove = () => send('delete', `DELETE ${page}`, ada)
    const removed = await remove()
    expect([changed.status, removed.status]).toEqual([200, 200])
    for (const [repeat, first] of [
      [put, made],
      [change, changed],
      [remove, removed],
    ] as const) {
      const again = await repeat()
      expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([
        first.status,
        first.body,
        'true',
      ])
    }
    expectFailure(await service.call(`GET ${page}`, ada), 404, 'NOT_FOUND')
    // The key belongs to Ada.
    expectFailure(await send('delete', `DELETE ${page}`, { as: 'bob' }), 404, 'NOT_FOUND')
    expectFailure(await send('delete', `DELETE ${page}`), 401, 'UNAUTHORIZED')
  })

  it.each(['""', 'x'.repeat(256)])('cannot be %j', async (key) => {
    const { path } = await service.make({ title: 'stays' })
    expectFailure(await send(key, `PATCH ${path}`, { body: { title: 'never' } }), 400, 'INVALID_REQUEST')
    expectFailure(await send(key, `DELETE ${path}`), 400, 'INVALID_REQUEST')
    expect(await titleAt(path)).toBe('stays')
  })
})

describe.each(stores.filter(({ isLasting }) => isLasting))('changes before a restart on $store', (kind) => {
  const service = startService(kind)

  it('are not repeated after it', async () => {
    const { path } = await service.make({ title: 'first' })
    const change = { headers: { 'Idempotency-Key': 'lasting' }, body: { title: 'second' } }
    const first = await service.call(`PATCH ${path}`, change)
    await service.call(`PATCH ${path}`, { body: { title: 'third' } })
    await service.restart()
    const again = await service.call(`PATCH ${path}`, change)
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([200, first.body, 'true'])
    expect(bodyOf(await service.call(`GET ${TASKS}/${String(bodyOf(first)['id'])}`))).toMatchObject({ title: 'third' })
  })
})
