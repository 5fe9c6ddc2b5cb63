import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from '../http/expect-failure.ts'
import { request, sendAll } from '../http/wire.ts'
import { bodyOf, rowOf, startService, TASKS } from './service.ts'
import { distinctStores } from './stores.ts'

const COLLECTION = ['GET', 'HEAD', 'POST']
const ITEM = ['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT']
const READING = ['GET', 'HEAD']

/** Returns the allowed methods without OPTIONS, which is optional. */
const allowed = (allow: string | undefined): string[] =>
  (allow ?? '')
    .split(/, ?/)
    .filter((method) => method !== 'OPTIONS')
    .toSorted()

describe.each(distinctStores)('methods of a resource on $store', (kind) => {
  const service = startService(kind)

  it('POST returns 201 with Location and ETag', async () => {
    const response = await service.call(`POST ${TASKS}`, { body: { title: 'Tea' } })
    const item = rowOf(response)
    expect([response.status, response.headers['content-type']]).toEqual([201, 'application/json'])
    expect(response.headers['location']).toBe(`${TASKS}/${item.id}`)
    expect(response.headers['etag']).toMatch(/^"[\x21\x23-\x7e]+"$/)
    expect(response.headers['cache-control']).toBe('no-store')
    expectGuarded(response)
    const got = await service.call(`GET ${response.headers['location']}`)
    expect([got.status, got.body, got.headers['etag']]).toEqual([200, response.body, response.headers['etag']])
  })

  it('GET returns the row with ETag and Last-Modified', async () => {
    const { item, etag, path } = await service.make({ title: 'Tea' })
    const response = await service.call(`GET ${path}`)
    expect([response.status, bodyOf(response)]).toEqual([200, item])
    // Last-Modified is sent once its second has passed.
    await expect
      .poll(async () => (await service.call(`GET ${path}`)).headers['last-modified'], { interval: 100 })
      .toBe(new Date(Math.floor(Date.parse(item.updatedAt) / 1000) * 1000).toUTCString())
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'private, no-cache',
      etag,
    })
    expect((response.headers['vary'] ?? '').split(', ').toSorted()).toEqual(['Accept', 'Authorization', 'Cookie'])
    expectGuarded(response)
  })

  it('PUT and PATCH return 200 with the row and its new ETag', async () => {
    const { path, etag } = await service.make({ title: 'Tea', notes: 'green' })
    const put = await service.call(`PUT ${path}`, { body: { title: 'Coffee' } })
    expect([put.status, bodyOf(put)]).toMatchObject([200, { title: 'Coffee', notes: null }])
    const patched = await service.call(`PATCH ${path}`, { body: { notes: 'black' } })
    expect([patched.status, bodyOf(patched)]).toMatchObject([200, { title: 'Coffee', notes: 'black' }])
    const etags = [etag, put.headers['etag'], patched.headers['etag']]
    expect(new Set(etags).size).toBe(3)
    for (const response of [put, patched]) {
      expect(response.headers['cache-control']).toBe('no-store')
      expectGuarded(response)
    }
    const got = await service.call(`GET ${path}`)
    expect([got.body, got.headers['etag']]).toEqual([patched.body, patched.headers['etag']])
  })

  it('DELETE returns the deleted row', async () => {
    const { item, path } = await service.make({ title: 'Tea' })
    const response = await service.call(`DELETE ${path}`)
    expect([response.status, bodyOf(response)]).toEqual([200, item])
    expect(response.headers['cache-control']).toBe('no-store')
    expectGuarded(response)
    for (const method of ['GET', 'DELETE']) expectFailure(await service.call(`${method} ${path}`), 404, 'NOT_FOUND')
    for (const method of ['PUT', 'PATCH'])
      expectFailure(await service.call(`${method} ${path}`, { body: { title: 'Tea' } }), 404, 'NOT_FOUND')
  })

  it('POST never reuses an id', async () => {
    const first = await service.make({ title: 'Tea' })
    await service.call(`DELETE ${first.path}`)
    const second = await service.make({ title: 'Tea' })
    expect(second.item.id).toBeGreaterThan(first.item.id)
  })

  it.each(['', '/1', '/777777', '/abc', '?limit=3', '?limit=0', '?title=nothing+there'])(
    'HEAD returns the status and headers of GET without content: %s',
    async (target) => {
      await service.make({ title: 'Tea' })
      const headers = { 'X-Request-Id': 'one-and-the-same' }
      const got = await service.call(`GET ${TASKS}${target}`, { headers })
      const head = await service.call(`HEAD ${TASKS}${target}`, { headers })
      const { date: _one, ...gotHeaders } = got.headers
      const { date: _two, ...headHeaders } = head.headers
      expect([head.status, head.body, headHeaders]).toEqual([got.status, '', gotHeaders])
    },
  )

  it('OPTIONS returns the allowed methods', async () => {
    const { path } = await service.make({ title: 'Tea' })
    const list = await service.call(`OPTIONS ${TASKS}`)
    expect([list.status, list.body, allowed(list.headers['allow'])]).toEqual([204, '', COLLECTION])
    for (const target of [path, `${TASKS}/777777`, `${TASKS}/abc`]) {
      const item = await service.call(`OPTIONS ${target}`)
      expect([item.status, item.body, allowed(item.headers['allow'])]).toEqual([204, '', ITEM])
      expect(item.headers['accept-patch']).toBe('application/merge-patch+json, application/json')
      expectGuarded(item)
    }
  })

  it('OPTIONS requires no authentication', async () => {
    const response = await service.call('OPTIONS /api/v1/documents')
    expect([response.status, allowed(response.headers['allow'])]).toEqual([204, COLLECTION])
  })

  it.each([
    ['DELETE /api/v1/tasks', COLLECTION],
    ['PUT /api/v1/tasks', COLLECTION],
    ['PATCH /api/v1/tasks', COLLECTION],
    ['TRACE /api/v1/tasks', COLLECTION],
    ['PROPFIND /api/v1/tasks', COLLECTION],
    ['POST /api/v1/tasks/1', ITEM],
    ['TRACE /api/v1/tasks/1', ITEM],
    ['LOCK /api/v1/tasks/abc', ITEM],
  ])('other methods return 405 with Allow: %s', async (line, methods) => {
    const response = await service.call(line)
    expectFailure(response, 405, 'METHOD_NOT_ALLOWED')
    expect(allowed(response.headers['allow'])).toEqual(methods)
  })

  it('methods that the store does not support return 405', async () => {
    const archives = '/api/v1/archives'
    expect((await service.call(`GET ${archives}`)).status).toBe(200)
    expectFailure(await service.call(`GET ${archives}/1`), 404, 'NOT_FOUND')
    for (const line of [`POST ${archives}`, `PUT ${archives}/1`, `PATCH ${archives}/1`, `DELETE ${archives}/1`]) {
      const response = await service.call(line, { body: { title: 'Tea' } })
      expectFailure(response, 405, 'METHOD_NOT_ALLOWED')
      expect(allowed(response.headers['allow'])).toEqual(READING)
    }
    for (const path of [archives, `${archives}/1`])
      expect(allowed((await service.call(`OPTIONS ${path}`)).headers['allow'])).toEqual(READING)
  })

  it.each(['GET', 'DELETE', 'OPTIONS'])('%s ignores content, and the connection stays open', async (method) => {
    const { path } = await service.make({ title: 'Tea' })
    const headers = { 'Content-Type': 'text/plain' }
    const first = request(`${method} ${path}`, { body: '{"broken', headers, keepAlive: true })
    const responses = await sendAll(service.port, Buffer.concat([first, request(`GET ${TASKS}?limit=1`)]))
    expect(responses.map(({ status }) => status)).toEqual([method === 'OPTIONS' ? 204 : 200, 200])
  })

  it('call the listeners after each stored change', async () => {
    const { changes } = service
    changes.length = 0
    const { path } = await service.make({ title: 'first' })
    await service.call(`PUT ${path}`, { body: { title: 'second' } })
    await service.call(`PATCH ${path}`, { body: { title: 'third' } })
    await service.call(`PATCH ${path}`, { body: { title: '' } })
    await service.call(`PATCH ${path}`, { body: {} })
    await service.call(`DELETE ${path}`)
    await service.call(`DELETE ${path}`)
    const all = ['created first', 'updated first to second', 'updated second to third', 'deleted third']
    await expect.poll(() => changes).toEqual(all)
  })

  it('succeed if a listener throws, and the error is logged', async () => {
    const { item, path } = await service.make({ title: 'stumbling block' })
    const response = await service.call(`GET ${path}`)
    expect([response.status, bodyOf(response)]).toEqual([200, item])
    await expect.poll(() => service.log.some((line) => line.includes('nobody should see this'))).toBe(true)
  })
})
