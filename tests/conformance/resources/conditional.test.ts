import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from '../http/expect-failure.ts'
import { send } from '../http/wire.ts'
import { bodyOf, startService, TASKS } from './service.ts'
import { distinctStores } from './stores.ts'

const MALFORMED = [
  'abc',
  '"abc',
  'abc"',
  'W/',
  'w/"a"',
  'W/abc',
  '"a" "b"',
  '"a";"b"',
  '"a", b',
  '*, "a"',
  '"a b"',
  "'a'",
]
const DRAFTS = '/api/v1/drafts'

describe.each(distinctStores)('conditional requests on $store', (kind) => {
  const service = startService(kind)
  const WRITES = ['PUT', 'PATCH', 'DELETE']
  const withBody = (method: string): { body?: object } => (method === 'DELETE' ? {} : { body: { title: 'Coffee' } })
  const write = (method: string, path: string, headers: Record<string, string>) =>
    service.call(`${method} ${path}`, { headers, ...withBody(method) })

  it.each(WRITES)('%s succeeds if If-Match contains the current version or *', async (method) => {
    for (const toTag of [
      (tag: string) => tag,
      () => '*',
      (tag: string) => `"x", ${tag},"y"`,
      (tag: string) => `W/"x",${tag}`,
    ]) {
      const { path, etag } = await service.make({ title: 'Tea' })
      expect((await write(method, path, { 'If-Match': toTag(etag) })).status).toBe(200)
    }
  })

  it.each(WRITES)('%s of another version returns 412 with the current ETag', async (method) => {
    const { path, item, etag } = await service.make({ title: 'Tea' })
    const changed = await service.call(`PATCH ${path}`, { body: { title: 'Milk' } })
    const current = changed.headers['etag'] ?? ''
    for (const tag of [etag, '"x"', `W/${current}`, '"x", "y"', '""', `${etag}, W/${current}`]) {
      const response = await write(method, path, { 'If-Match': tag })
      expectFailure(response, 412, 'PRECONDITION_FAILED')
      expect(response.headers['etag']).toBe(current)
    }
    expect(bodyOf(await service.call(`GET ${path}`))).toMatchObject({ id: item.id, title: 'Milk' })
  })

  it.each(MALFORMED)('a malformed condition returns 400: %s', async (tag) => {
    const { path } = await service.make({ title: 'Tea' })
    for (const method of WRITES) {
      const { details } = expectFailure(await write(method, path, { 'If-Match': tag }), 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ source: 'header', name: expect.stringMatching(/^if-match$/i) as string }])
    }
    const response = await service.call(`GET ${path}`, { headers: { 'If-None-Match': tag } })
    const { details } = expectFailure(response, 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ source: 'header', name: expect.stringMatching(/^if-none-match$/i) as string }])
    expect((await service.call(`GET ${path}`)).status).toBe(200)
  })

  it.each(['"x"', '*', 'malformed'])('a missing row returns 404 before any condition: %s', async (tag) => {
    for (const method of WRITES)
      expectFailure(await write(method, `${TASKS}/777777`, { 'If-Match': tag }), 404, 'NOT_FOUND')
    const response = await service.call(`GET ${TASKS}/777777`, { headers: { 'If-None-Match': tag } })
    expectFailure(response, 404, 'NOT_FOUND')
  })

  it('GET returns 304 without content if the version matches', async () => {
    const { path, etag } = await service.make({ title: 'Tea' })
    const full = await service.call(`GET ${path}`)
    for (const tag of [etag, `W/${etag}`, '*', `"x", ${etag}`, `"x",W/${etag} , "y"`])
      for (const method of ['GET', 'HEAD']) {
        const response = await service.call(`${method} ${path}`, { headers: { 'If-None-Match': tag } })
        expect([response.status, response.body]).toEqual([304, ''])
        expect(response.headers).toMatchObject({
          etag,
          'cache-control': 'private, no-cache',
          vary: full.headers['vary'],
        })
        expect(response.headers).not.toHaveProperty('content-type')
        expectGuarded(response)
      }
  })

  it('GET returns 200 if the version does not match', async () => {
    const { path, etag } = await service.make({ title: 'Tea' })
    await service.call(`PATCH ${path}`, { body: { title: 'Milk' } })
    for (const tag of [etag, '"x"', 'W/"x"', '""']) {
      const response = await service.call(`GET ${path}`, { headers: { 'If-None-Match': tag } })
      expect([response.status, bodyOf(response)]).toMatchObject([200, { title: 'Milk' }])
    }
  })

  it('GET supports If-Match, also with If-None-Match', async () => {
    const { path, etag } = await service.make({ title: 'Tea' })
    const get = (headers: Record<string, string>) => service.call(`GET ${path}`, { headers })
    expect((await get({ 'If-Match': etag })).status).toBe(200)
    expectFailure(await get({ 'If-Match': '"x"' }), 412, 'PRECONDITION_FAILED')
    expect((await get({ 'If-Match': etag, 'If-None-Match': etag })).status).toBe(304)
  })

  it.each(WRITES)('%s supports If-None-Match', async (method) => {
    const { path, etag } = await service.make({ title: 'Tea' })
    for (const tag of ['*', etag, `W/${etag}`])
      expectFailure(await write(method, path, { 'If-None-Match': tag }), 412, 'PRECONDITION_FAILED')
    expect((await write(method, path, { 'If-None-Match': '"x"' })).status).toBe(200)
  })

  it('a condition can have several header lines', async () => {
    const { path, etag } = await service.make({ title: 'Tea' })
    const get = (tags: string[]) => {
      const lines = tags.map((tag) => `If-None-Match: ${tag}\r\n`).join('')
      return send(service.port, `GET ${path} HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\n\r\n`)
    }
    expect((await get(['"x"', etag])).status).toBe(304)
    expect((await get(['"x"', '"y"'])).status).toBe(200)
  })

  it('one of several concurrent writes with the same version succeeds', async () => {
    const { path, etag } = await service.make({ title: 'Tea' })
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        service.call(`PATCH ${path}`, { headers: { 'If-Match': etag }, body: { title: `by ${n}` } }),
      ),
    )
    const statuses = responses.map(({ status }) => status).toSorted((one, other) => one - other)
    expect(statuses).toEqual([200, 412, 412, 412, 412, 412])
    const winner = responses.findIndex(({ status }) => status === 200)
    expect(bodyOf(await service.call(`GET ${path}`))).toMatchObject({ title: `by ${winner}` })
  })

  it('one of several concurrent deletes succeeds', async () => {
    const { path } = await service.make({ title: 'Tea' })
    const responses = await Promise.all(Array.from({ length: 4 }, () => service.call(`DELETE ${path}`)))
    expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404, 404, 404])
  })

  it('versions with the same values have different ETags', async () => {
    const [one, two] = [await service.make({ title: 'Tea' }), await service.make({ title: 'Tea' })]
    await service.call(`PATCH ${one.path}`, { body: { title: 'Milk' } })
    const back = await service.call(`PATCH ${one.path}`, { body: { title: 'Tea' } })
    expect(back.headers['etag']).not.toBe(one.etag)
    expectFailure(await write('PATCH', one.path, { 'If-Match': one.etag }), 412, 'PRECONDITION_FAILED')
    expect((await write('PATCH', two.path, { 'If-Match': two.etag })).status).toBe(200)
  })

  it.each(WRITES)('%s without If-Match returns 428 if the resource requires it', async (method) => {
    const { path, etag } = await service.make({ title: 'Tea' }, { path: DRAFTS })
    expectFailure(await write(method, path, {}), 428, 'PRECONDITION_REQUIRED')
    expectFailure(await write(method, `${DRAFTS}/777777`, {}), 404, 'NOT_FOUND')
    expectFailure(await write(method, path, { 'If-Match': '"x"' }), 412, 'PRECONDITION_FAILED')
    expect((await write(method, path, { 'If-Match': etag })).status).toBe(200)
  })
})
