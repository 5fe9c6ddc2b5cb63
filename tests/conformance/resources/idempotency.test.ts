import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from '../http/expect-failure.ts'
import { readPage } from './pages.ts'
import { bodyOf, type CallParts, rowOf, startService, TASKS } from './service.ts'
import { distinctStores, stores } from './stores.ts'

const DOCUMENTS = '/api/v1/documents'

describe.each(distinctStores)('Idempotency-Key on $store', (kind) => {
  const service = startService(kind)
  const send = (key: string, body: unknown, { path = TASKS, ...parts }: CallParts & { path?: string } = {}) =>
    service.call(`POST ${path}`, { ...parts, body, headers: { 'Idempotency-Key': key, ...parts.headers } })
  const countOf = async (title: string): Promise<number> => {
    const { pagination } = await readPage(service, `count=true&title=${encodeURIComponent(title)}`)
    return pagination.total ?? -1
  }

  it('creates one row for repeated requests', async () => {
    const first = await send('once', { title: 'once' })
    const again = await send('once', { title: 'once' })
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
    for (const name of ['location', 'etag', 'content-type']) expect(again.headers[name]).toBe(first.headers[name])
    expect(first.headers).not.toHaveProperty('idempotent-replayed')
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    expect(again.headers['cache-control']).toBe('no-store')
    expectGuarded(again)
    expect(await countOf('once')).toBe(1)
  })

  it('is optional: each request without it creates a row', async () => {
    for (const title of ['each', 'each']) await service.make({ title })
    expect(await countOf('each')).toBe(2)
  })

  it('replays the response after the row was changed or deleted', async () => {
    const first = await send('gone', { title: 'gone' })
    const { id } = rowOf(first)
    await service.call(`PATCH ${TASKS}/${id}`, { body: { title: 'changed' } })
    expect((await send('gone', { title: 'gone' })).body).toBe(first.body)
    await service.call(`DELETE ${TASKS}/${id}`)
    expect((await send('gone', { title: 'gone' })).body).toBe(first.body)
  })

  it('is the same with and without quotes, and for other spellings of the body', async () => {
    const first = await send('quoted', { title: 'quoted', priority: 1 })
    const again = await send('"quoted"', '{ "priority" : 1.0, "title": "quot\\u0065d" }')
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(await countOf('quoted')).toBe(1)
  })

  it('rejects another body with the same key', async () => {
    await send('reused', { title: 'reused' })
    expectFailure(await send('reused', { title: 'other' }), 422, 'IDEMPOTENCY_KEY_REUSED')
    expectFailure(await send('reused', { title: '' }), 422, 'IDEMPOTENCY_KEY_REUSED')
    expectFailure(await send('reused', '{'), 400, 'INVALID_REQUEST')
    expect(await countOf('other')).toBe(0)
  })

  it('creates one row for concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 6 }, () => send('parallel', { title: 'parallel' })))
    const made = responses.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ body }) => body)).size).toBe(1)
    expect(made.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length).toBe(1)
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expectFailure(response, 409, 'IDEMPOTENCY_KEY_IN_USE')
      expect(response.headers['retry-after']).toBe('1')
    }
    expect(await countOf('parallel')).toBe(1)
  })

  it('creates one row for concurrent requests with different bodies', async () => {
    const titles = ['a', 'b', 'c', 'd'].map((letter) => `rivals ${letter}`)
    const responses = await Promise.all(titles.map((title) => send('rivals', { title })))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toEqual([201])
    for (const status of statuses) expect([201, 409, 422]).toContain(status)
    const counts = await Promise.all(titles.map(countOf))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1)
  })

  it('stores only successful responses', async () => {
    for (const turn of [1, 2]) {
      const response = await send('invalid', { title: '' })
      expectFailure(response, 400, 'INVALID_REQUEST')
      expect(response.headers, `turn ${turn}`).not.toHaveProperty('idempotent-replayed')
    }
    const valid = await send('invalid', { title: 'valid' })
    expect([valid.status, valid.headers['idempotent-replayed']]).toEqual([201, undefined])
    await service.make({ slug: 'taken' }, { path: DOCUMENTS, as: 'ada' })
    const taken = { path: DOCUMENTS, as: 'ada' }
    for (const _turn of [1, 2]) expectFailure(await send('conflict', { slug: 'taken' }, taken), 409, 'CONFLICT')
    expect((await send('conflict', { slug: 'free' }, taken)).status).toBe(201)
  })

  it('is specific to a caller and a path', async () => {
    const hers = await send('shared', { slug: 'hers' }, { path: DOCUMENTS, as: 'ada' })
    const his = await send('shared', { slug: 'his' }, { path: DOCUMENTS, as: 'bob' })
    const chore = await send('shared', { title: 'shared' }, { path: '/api/v1/chores' })
    const task = await send('shared', { title: 'shared' })
    for (const response of [hers, his, chore, task])
      expect([response.status, response.headers['idempotent-replayed']]).toEqual([201, undefined])
    const replayed = await send('shared', { slug: 'hers' }, { path: DOCUMENTS, as: 'ada' })
    expect([replayed.body, replayed.headers['idempotent-replayed']]).toEqual([hers.body, 'true'])
    expectFailure(await send('shared', { slug: 'hers' }, { path: DOCUMENTS }), 401, 'UNAUTHORIZED')
    expectFailure(await send('shared', { slug: 'hers' }, { path: DOCUMENTS, as: 'bob' }), 422, 'IDEMPOTENCY_KEY_REUSED')
  })

  it.each([
    'k',
    'a key with spaces',
    '!~@#$%^&*()',
    "'; drop table tasks; --",
    'x'.repeat(255),
    `"${'x'.repeat(255)}"`,
  ])('can be %j', async (key) => {
    expect((await send(key, { title: 'may be' })).status).toBe(201)
  })

  it.each(['', '""', 'x'.repeat(256), 'ümlaut', '"open'])('cannot be %j', async (key) => {
    const { details } = expectFailure(await send(key, { title: 'never' }), 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ source: 'header', name: expect.stringMatching(/^idempotency-key$/i) as string }])
    expect(await countOf('never')).toBe(0)
  })

  it('is ignored for reads', async () => {
    const { path } = await service.make({ title: 'first' })
    const read = () => service.call(`GET ${path}`, { headers: { 'Idempotency-Key': 'reads' } })
    expect(bodyOf(await read())).toMatchObject({ title: 'first' })
    await service.call(`PATCH ${path}`, { body: { title: 'second' } })
    expect(bodyOf(await read())).toMatchObject({ title: 'second' })
  })
})

describe.each(stores.filter(({ isLasting }) => isLasting))('a restart on $store', (kind) => {
  const service = startService(kind)

  it('keeps the responses by Idempotency-Key', async () => {
    const parts = { headers: { 'Idempotency-Key': 'lasting' }, body: { title: 'lasting' } }
    const first = await service.call(`POST ${TASKS}`, parts)
    expect(first.status).toBe(201)
    await service.restart()
    const again = await service.call(`POST ${TASKS}`, parts)
    expect([again.status, again.body, again.headers['etag']]).toEqual([201, first.body, first.headers['etag']])
    expect(again.headers['idempotent-replayed']).toBe('true')
    const other = await service.call(`POST ${TASKS}`, { ...parts, body: { title: 'other' } })
    expectFailure(other, 422, 'IDEMPOTENCY_KEY_REUSED')
    const { data } = await readPage(service, '')
    expect(data.map(({ title }) => title)).toEqual(['lasting'])
  })

  it('keeps rows and versions', async () => {
    const made = await service.make({ title: 'stays', tags: ['a'], meta: { size: 1 } })
    await service.restart()
    const got = await service.call(`GET ${made.path}`)
    expect([bodyOf(got), got.headers['etag']]).toEqual([made.item, made.etag])
    const patched = await service.call(`PATCH ${made.path}`, {
      headers: { 'If-Match': made.etag },
      body: { done: true },
    })
    expect(patched.status).toBe(200)
  })
})
