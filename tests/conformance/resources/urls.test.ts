import { beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { send } from '../http/wire.ts'
import { type Made, pageOf, startService, TASKS } from './service.ts'
import { distinctStores } from './stores.ts'

const NO_IDS = ['0', '-1', 'abc', '1.0', '01', '+1', '1e3', '%20', '%EF%BC%91', '00', '1%20', '%2B1', '1%2F2', '0x1']
const NO_IDS_MORE = ['%D9%A1', 'null', 'NaN', '1,2', '%2D1', '__proto__', '...', '1%0A', '%F0%9F%8D%B5']
const FAR = ['9007199254740991', '9007199254740992', '99999999999999999999', '9'.repeat(4000), '2147483648']

describe.each(distinctStores)('URLs of a resource on $store', (kind) => {
  const service = startService(kind)
  let made: Made
  beforeAll(async () => {
    made = await service.make({ title: 'Tea' })
  })

  it.each([...NO_IDS, ...NO_IDS_MORE])('GET rejects an id that is not a positive integer: %s', async (id) => {
    const error = expectFailure(await service.call(`GET ${TASKS}/${id}`), 400, 'INVALID_REQUEST')
    expect(error.message).toBe('id must be a positive integer')
    expect(error.details).toMatchObject([{ code: 'INVALID_FORMAT', source: 'path', name: 'id' }])
  })

  it.each(['PUT', 'PATCH', 'DELETE'])('%s rejects an id that is not a positive integer', async (method) => {
    const body = method === 'PUT' || method === 'PATCH' ? { body: { title: 'Tea' } } : {}
    const response = await service.call(`${method} ${TASKS}/abc`, body)
    expect(expectFailure(response, 400, 'INVALID_REQUEST').details).toMatchObject([{ source: 'path', name: 'id' }])
  })

  it('GET rejects an unescaped id that is not ASCII', async () => {
    expectFailure(await service.call(`GET ${TASKS}/１`), 400, 'INVALID_REQUEST')
  })

  it('GET accepts an escaped id', async () => {
    const escaped = String(made.item.id).replaceAll(/\d/g, (digit) => `%3${digit}`)
    const [plain, same] = [await service.call(`GET ${made.path}`), await service.call(`GET ${TASKS}/${escaped}`)]
    expect([same.status, same.body, same.headers['etag']]).toEqual([200, plain.body, plain.headers['etag']])
    const [missing, alike] = [await service.call(`GET ${TASKS}/777`), await service.call(`GET ${TASKS}/%37%37%37`)]
    expect([missing.status, alike.status]).toEqual([404, 404])
  })

  it.each(FAR)('an unknown id returns 404, regardless of its size: %s', async (id) => {
    expectFailure(await service.call(`GET ${TASKS}/${id}`), 404, 'NOT_FOUND')
    expectFailure(await service.call(`PUT ${TASKS}/${id}`, { body: { title: 'Tea' } }), 404, 'NOT_FOUND')
    expectFailure(await service.call(`PATCH ${TASKS}/${id}`, { body: {} }), 404, 'NOT_FOUND')
    expectFailure(await service.call(`DELETE ${TASKS}/${id}`), 404, 'NOT_FOUND')
  })

  it.each([
    '/api/v1/tasks/',
    '/api/v1//tasks',
    '/API/v1/tasks',
    '/api/v9/tasks',
    '/api/V1/tasks',
    '/api/v01/tasks',
    '/api/v1/Tasks',
    '/api/v1/task',
    '/api/tasks',
    '/api/v1/tasks/1/',
    '/api/v1/tasks/1/more',
    '/api/v1/tasks//1',
    '/api/v1/tasks/.',
    '/api/v1/tasks/..',
    '/api/v1/tasks/%2e%2E',
    '/api/v1/documents/../tasks',
    '/api/v1/./tasks',
    '/api/v1/tasks%2F1',
    '/api/v1%2Ftasks',
  ])('a path is not normalized or redirected: %s is not found', async (path) => {
    const response = await service.call(`GET ${path}`)
    expectFailure(response, 404, 'NOT_FOUND')
    expect(response.headers).not.toHaveProperty('location')
  })

  it.each(['%', '%4', '%zz', '%ff', '%c0%af', '%ed%a0%80', '1%00', '%00'])(
    'a malformed escape returns 400: %s',
    async (text) => {
      expectFailure(await service.call(`GET ${TASKS}/${text}`), 400, 'INVALID_REQUEST')
      expectFailure(await service.call(`GET ${TASKS}?title=${text}`), 400, 'INVALID_REQUEST')
      expectFailure(await service.call(`GET ${TASKS}?${text}`), 400, 'INVALID_REQUEST')
    },
  )

  it.each([
    ['limit=1&limit=2', 'DUPLICATE_PARAMETER', 'limit'],
    ['limit=1&%6Cimit=1', 'DUPLICATE_PARAMETER', 'limit'],
    ['title=a&title=a', 'DUPLICATE_PARAMETER', 'title'],
    ['priority[gt]=1&priority%5Bgt%5D=2', 'DUPLICATE_PARAMETER', 'priority[gt]'],
    ['cursor=x&cursor=x', 'DUPLICATE_PARAMETER', 'cursor'],
    ['nope=1', 'UNKNOWN_PARAMETER', 'nope'],
    ['Limit=1', 'UNKNOWN_PARAMETER', 'Limit'],
    ['id=1', 'UNKNOWN_PARAMETER', 'id'],
    ['__proto__=1', 'UNKNOWN_PARAMETER', '__proto__'],
    ['constructor=1', 'UNKNOWN_PARAMETER', 'constructor'],
    ['page=1', 'UNKNOWN_PARAMETER', 'page'],
    ['ownerId=ada', 'UNKNOWN_PARAMETER', 'ownerId'],
    ['version=1', 'UNKNOWN_PARAMETER', 'version'],
  ])('a duplicate or unknown parameter returns 400: ?%s', async (query, code, name) => {
    const { details } = expectFailure(await service.call(`GET ${TASKS}?${query}`), 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ code, source: 'query', name }])
  })

  it('all issues of path and query are in one response', async () => {
    const list = await service.call(`GET ${TASKS}?limit=0&nope=1&sort=nope&done=1`)
    const names = expectFailure(list, 400, 'INVALID_REQUEST').details.map(({ name }) => String(name))
    expect(names.toSorted()).toEqual(['done', 'limit', 'nope', 'sort'])
    const item = await service.call(`GET ${TASKS}/abc?nope=1`)
    const sources = expectFailure(item, 400, 'INVALID_REQUEST').details.map(({ source }) => String(source))
    expect(sources.toSorted()).toEqual(['path', 'query'])
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('%s of one row rejects query parameters', async (method) => {
    const body = method === 'PUT' || method === 'PATCH' ? { body: { title: 'Tea' } } : {}
    const response = await service.call(`${method} ${made.path}?limit=1`, body)
    const { details } = expectFailure(response, 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ code: 'UNKNOWN_PARAMETER', source: 'query', name: 'limit' }])
  })

  it('POST rejects query parameters', async () => {
    const response = await service.call(`POST ${TASKS}?title=Tea`, { body: { title: 'Tea' } })
    const { details } = expectFailure(response, 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ code: 'UNKNOWN_PARAMETER', source: 'query', name: 'title' }])
  })

  it('a plus sign in a query is decoded as a space', async () => {
    await service.make({ title: 'green tea' })
    for (const query of ['title=green+tea', 'title=green%20tea', 'titl%65=gr%65en+tea']) {
      const { data } = pageOf(await service.call(`GET ${TASKS}?${query}`))
      expect(data.map(({ title }) => title)).toEqual(['green tea'])
    }
    const { data } = pageOf(await service.call(`GET ${TASKS}?title=green%2Btea`))
    expect(data).toEqual([])
  })

  it('a request must have one Host', async () => {
    for (const hosts of ['Host: a\r\nHost: b\r\n', '']) {
      const bytes = `GET ${TASKS} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`
      expectFailure(await send(service.port, bytes), 400, 'INVALID_REQUEST')
    }
  })
})
