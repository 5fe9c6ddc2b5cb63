import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from '../http/expect-failure.ts'
import { ask } from '../http/wire.ts'
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
  const send = (method: string, path: string, headers: Record<string, string>) =>
    service.call(`${method} ${path}`, { headers, ...withBody(method) })

  it.each(WRITES)('%s goes through with the current version, alone or among others, and with any', async (method) => {
    for (const toTag of [
      (tag: string) => tag,
      () => '*',
      (tag: string) => `"x", ${tag},"y"`,
      (tag: string) => `W/"x",${tag}`,
    ]) {
      const { path, etag } = await service.make({ title: 'Tea' })
      expect((await send(method, path, { 'If-Match': toTag(etag) })).status).toBe(200)
    }
  })

  it.each(WRITES)('%s of another version is 412, and tells the current one', async (method) => {
    const { path, item, etag } = await service.make({ title: 'Tea' })
    const changed = await service.call(`PATCH ${path}`, { body: { title: 'Milk' } })
    const current = changed.headers['etag'] ?? ''
    for (const tag of [etag, '"x"', `W/${current}`, '"x", "y"', '""', `${etag}, W/${current}`]) {
      const answer = await send(method, path, { 'If-Match': tag })
      expectFailure(answer, 412, 'PRECONDITION_FAILED')
      expect(answer.headers['etag']).toBe(current)
    }
    expect(bodyOf(await service.call(`GET ${path}`))).toMatchObject({ id: item.id, title: 'Milk' })
  })

  it.each(MALFORMED)('a condition that is malformed is 400: %s', async (tag) => {
    const { path } = await service.make({ title: 'Tea' })
    for (const method of WRITES) {
      const { details } = expectFailure(await send(method, path, { 'If-Match': tag }), 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ source: 'header', name: expect.stringMatching(/^if-match$/i) as string }])
    }
    const answer = await service.call(`GET ${path}`, { headers: { 'If-None-Match': tag } })
    const { details } = expectFailure(answer, 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ source: 'header', name: expect.stringMatching(/^if-none-match$/i) as string }])
    expect((await service.call(`GET ${path}`)).status).toBe(200)
  })

  it.each(['"x"', '*', 'malformed'])('where there is nothing, 404 wins: %s', async (tag) => {
    for (const method of WRITES)
      expectFailure(await send(method, `${TASKS}/777777`, { 'If-Match': tag }), 404, 'NOT_FOUND')
    const answer = await service.call(`GET ${TASKS}/777777`, { headers: { 'If-None-Match': tag } })
    expectFailure(answer, 404, 'NOT_FOUND')
  })

  it('GET of what one has is 304, without content', async () => {
    const { path, etag } = await service.make({ title: 'Tea' })
    const full = await service.call(`GET ${path}`)
    for (const tag of [etag, `W/${etag}`, '*', `"x", ${etag}`, `"x",W/${etag} , "y"`])
      for (const method of ['GET', 'HEAD']) {
        const answer = await service.call(`${method} ${path}`, { headers: { 'If-None-Match': tag } })
        expect([answer.status, answer.body]).toEqual([304, ''])
        expect(answer.headers).toMatchObject({ etag, 'cache-control': 'private, no-cache', vary: full.headers['vary'] })
        expect(answer.headers).not.toHaveProperty('content-type')
        expectGuarded(answer)
      }
  })

  it('GET of what one does not have is 200', async () => {
    const { path, etag } = await service.make({ title: 'Tea' })
    await service.call(`PATCH ${path}`, { body: { title: 'Milk' } })
    for (const tag of [etag, '"x"', 'W/"x"', '""']) {
      const answer = await service.call(`GET ${path}`, { headers: { 'If-None-Match': tag } })
      expect([answer.status, bodyOf(answer)]).toMatchObject([200, { title: 'Milk' }])
    }
  })

  it('GET heeds If-Match, and both', async () => {
    const { path, etag } = await service.make({ title: 'Tea' })
    const get = (headers: Record<string, string>) => service.call(`GET ${path}`, { headers })
    expect((await get({ 'If-Match': etag })).status).toBe(200)
    expectFailure(await get({ 'If-Match': '"x"' }), 412, 'PRECONDITION_FAILED')
    expect((await get({ 'If-Match': etag, 'If-None-Match': etag })).status).toBe(304)
  })

  it.each(WRITES)('%s heeds If-None-Match', async (method) => {
    const { path, etag } = await service.make({ title: 'Tea' })
    for (const tag of ['*', etag, `W/${etag}`])
      expectFailure(await send(method, path, { 'If-None-Match': tag }), 412, 'PRECONDITION_FAILED')
    expect((await send(method, path, { 'If-None-Match': '"x"' })).status).toBe(200)
  })

  it('a condition may come in several lines', async () => {
    const { path, etag } = await service.make({ title: 'Tea' })
    const get = (tags: string[]) => {
      const lines = tags.map((tag) => `If-None-Match: ${tag}\r\n`).join('')
      return ask(service.port, `GET ${path} HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\n\r\n`)
    }
    expect((await get(['"x"', etag])).status).toBe(304)
    expect((await get(['"x"', '"y"'])).status).toBe(200)
  })

  it('of writes at once with one version, one goes through', async () => {
    const { path, etag } = await service.make({ title: 'Tea' })
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        service.call(`PATCH ${path}`, { headers: { 'If-Match': etag }, body: { title: `by ${n}` } }),
      ),
    )
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
    expect(statuses).toEqual([200, 412, 412, 412, 412, 412])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect(bodyOf(await service.call(`GET ${path}`))).toMatchObject({ title: `by ${winner}` })
  })

  it('of deletions at once, one goes through', async () => {
    const { path } = await service.make({ title: 'Tea' })
    const answers = await Promise.all(Array.from({ length: 4 }, () => service.call(`DELETE ${path}`)))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404, 404, 404])
  })

  it('versions of rows with the same values are not one', async () => {
    const [one, two] = [await service.make({ title: 'Tea' }), await service.make({ title: 'Tea' })]
    await service.call(`PATCH ${one.path}`, { body: { title: 'Milk' } })
    const back = await service.call(`PATCH ${one.path}`, { body: { title: 'Tea' } })
    expect(back.headers['etag']).not.toBe(one.etag)
    expectFailure(await send('PATCH', one.path, { 'If-Match': one.etag }), 412, 'PRECONDITION_FAILED')
    expect((await send('PATCH', two.path, { 'If-Match': two.etag })).status).toBe(200)
  })

  it.each(WRITES)('a resource may demand If-Match: %s without is 428', async (method) => {
    const { path, etag } = await service.make({ title: 'Tea' }, { path: DRAFTS })
    expectFailure(await send(method, path, {}), 428, 'PRECONDITION_REQUIRED')
    expectFailure(await send(method, `${DRAFTS}/777777`, {}), 404, 'NOT_FOUND')
    expectFailure(await send(method, path, { 'If-Match': '"x"' }), 412, 'PRECONDITION_FAILED')
    expect((await send(method, path, { 'If-Match': etag })).status).toBe(200)
  })
})
