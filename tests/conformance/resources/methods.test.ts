import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from '../http/expect-failure.ts'
import { request, talk } from '../http/wire.ts'
import { bodyOf, rowOf, startService, TASKS } from './service.ts'
import { distinctStores } from './stores.ts'

const COLLECTION = ['GET', 'HEAD', 'POST']
const ITEM = ['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT']
const READING = ['GET', 'HEAD']

/** OPTIONS may be named or not. */
const allowed = (allow: string | undefined): string[] =>
  (allow ?? '')
    .split(/, ?/)
    .filter((method) => method !== 'OPTIONS')
    .toSorted()

describe.each(distinctStores)('methods of a resource on $store', (kind) => {
  const service = startService(kind)

  it('POST creates: 201, where it is, its version', async () => {
    const answer = await service.call(`POST ${TASKS}`, { body: { title: 'Tea' } })
    const item = rowOf(answer)
    expect([answer.status, answer.headers['content-type']]).toEqual([201, 'application/json'])
    expect(answer.headers['location']).toBe(`${TASKS}/${item.id}`)
    expect(answer.headers['etag']).toMatch(/^"[\x21\x23-\x7e]+"$/)
    expect(answer.headers['cache-control']).toBe('no-store')
    expectGuarded(answer)
    const got = await service.call(`GET ${answer.headers['location']}`)
    expect([got.status, got.body, got.headers['etag']]).toEqual([200, answer.body, answer.headers['etag']])
  })

  it('GET reads, with version and date', async () => {
    const { item, etag, path } = await service.make({ title: 'Tea' })
    const answer = await service.call(`GET ${path}`)
    expect([answer.status, bodyOf(answer)]).toEqual([200, item])
    // The date is there once its second has passed.
    await expect
      .poll(async () => (await service.call(`GET ${path}`)).headers['last-modified'], { interval: 100 })
      .toBe(new Date(Math.floor(Date.parse(item.updatedAt) / 1000) * 1000).toUTCString())
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'private, no-cache',
      etag,
    })
    expect((answer.headers['vary'] ?? '').split(', ').toSorted()).toEqual(['Accept', 'Authorization', 'Cookie'])
    expectGuarded(answer)
  })

  it('PUT replaces and PATCH changes: 200 with the row and its new version', async () => {
    const { path, etag } = await service.make({ title: 'Tea', notes: 'green' })
    const put = await service.call(`PUT ${path}`, { body: { title: 'Coffee' } })
    expect([put.status, bodyOf(put)]).toMatchObject([200, { title: 'Coffee', notes: null }])
    const patched = await service.call(`PATCH ${path}`, { body: { notes: 'black' } })
    expect([patched.status, bodyOf(patched)]).toMatchObject([200, { title: 'Coffee', notes: 'black' }])
    const etags = [etag, put.headers['etag'], patched.headers['etag']]
    expect(new Set(etags).size).toBe(3)
    for (const answer of [put, patched]) {
      expect(answer.headers['cache-control']).toBe('no-store')
      expectGuarded(answer)
    }
    const got = await service.call(`GET ${path}`)
    expect([got.body, got.headers['etag']]).toEqual([patched.body, patched.headers['etag']])
  })

  it('DELETE gives the row as it was, and then it is gone', async () => {
    const { item, path } = await service.make({ title: 'Tea' })
    const answer = await service.call(`DELETE ${path}`)
    expect([answer.status, bodyOf(answer)]).toEqual([200, item])
    expect(answer.headers['cache-control']).toBe('no-store')
    expectGuarded(answer)
    for (const method of ['GET', 'DELETE']) expectFailure(await service.call(`${method} ${path}`), 404, 'NOT_FOUND')
    for (const method of ['PUT', 'PATCH'])
      expectFailure(await service.call(`${method} ${path}`, { body: { title: 'Tea' } }), 404, 'NOT_FOUND')
  })

  it('an id is never given twice', async () => {
    const first = await service.make({ title: 'Tea' })
    await service.call(`DELETE ${first.path}`)
    const second = await service.make({ title: 'Tea' })
    expect(second.item.id).toBeGreaterThan(first.item.id)
  })

  it.each(['', '/1', '/777777', '/abc', '?limit=3', '?limit=0', '?title=nothing+there'])(
    'HEAD is GET without content, header by header: %s',
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

  it('OPTIONS tells what may be done', async () => {
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

  it('OPTIONS is answered whoever asks', async () => {
    const answer = await service.call('OPTIONS /api/v1/documents')
    expect([answer.status, allowed(answer.headers['allow'])]).toEqual([204, COLLECTION])
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
  ])('anything else is 405, and Allow says what is not: %s', async (line, methods) => {
    const answer = await service.call(line)
    expectFailure(answer, 405, 'METHOD_NOT_ALLOWED')
    expect(allowed(answer.headers['allow'])).toEqual(methods)
  })

  it('what a store cannot do is 405', async () => {
    const archives = '/api/v1/archives'
    expect((await service.call(`GET ${archives}`)).status).toBe(200)
    expectFailure(await service.call(`GET ${archives}/1`), 404, 'NOT_FOUND')
    for (const line of [`POST ${archives}`, `PUT ${archives}/1`, `PATCH ${archives}/1`, `DELETE ${archives}/1`]) {
      const answer = await service.call(line, { body: { title: 'Tea' } })
      expectFailure(answer, 405, 'METHOD_NOT_ALLOWED')
      expect(allowed(answer.headers['allow'])).toEqual(READING)
    }
    for (const path of [archives, `${archives}/1`])
      expect(allowed((await service.call(`OPTIONS ${path}`)).headers['allow'])).toEqual(READING)
  })

  it.each(['GET', 'DELETE', 'OPTIONS'])('%s ignores content, and the connection goes on', async (method) => {
    const { path } = await service.make({ title: 'Tea' })
    const headers = { 'Content-Type': 'text/plain' }
    const first = request(`${method} ${path}`, { body: '{"broken', headers, keepAlive: true })
    const answers = await talk(service.port, Buffer.concat([first, request(`GET ${TASKS}?limit=1`)]))
    expect(answers.map(({ status }) => status)).toEqual([method === 'OPTIONS' ? 204 : 200, 200])
  })

  it('tells of changes once they are kept', async () => {
    const { happenings } = service
    happenings.length = 0
    const { path } = await service.make({ title: 'first' })
    await service.call(`PUT ${path}`, { body: { title: 'second' } })
    await service.call(`PATCH ${path}`, { body: { title: 'third' } })
    await service.call(`PATCH ${path}`, { body: { title: '' } })
    await service.call(`PATCH ${path}`, { body: {} })
    await service.call(`DELETE ${path}`)
    await service.call(`DELETE ${path}`)
    const all = ['created first', 'updated first to second', 'updated second to third', 'deleted third']
    await expect.poll(() => happenings).toEqual(all)
  })

  it('a listener that fails changes nothing, and its words stay in the log', async () => {
    const { item, path } = await service.make({ title: 'stumbling block' })
    const answer = await service.call(`GET ${path}`)
    expect([answer.status, bodyOf(answer)]).toEqual([200, item])
    await expect.poll(() => service.log.some((line) => line.includes('nobody should see this'))).toBe(true)
  })
})
