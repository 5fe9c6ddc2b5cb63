import { describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { request, sendAll } from '../http/wire.ts'
import { bodyOf, type Made, type Row, rowOf, startService, TASKS } from './service.ts'
import { TASK_DEFAULTS } from './showcase.ts'
import { stores } from './stores.ts'

const FULL = {
  title: 'Tea',
  notes: 'green',
  done: true,
  priority: 5,
  score: 1.5,
  estimate: 7,
  dueAt: '2026-01-02T03:04:05.006Z',
  dueDate: '2026-01-02',
  tags: ['a', 'b'],
  meta: { color: 'red', size: 2, inner: { one: 1, two: 2 } },
}

describe.each(stores)('writes to a resource on $store', (kind) => {
  const service = startService(kind)
  const rejected = async (line: string, body: unknown) =>
    expectFailure(await service.call(line, { body }), 400, 'INVALID_REQUEST').details
  const write = async (line: string, body: unknown): Promise<Row> => {
    const response = await service.call(line, { body })
    expect([response.status, response.body]).toEqual([200, expect.any(String)])
    return rowOf(response)
  }
  /** Tries a write that changes nothing. */
  const expectSame = async ({ path, item, etag }: Made, method: string, body: unknown): Promise<void> => {
    const response = await service.call(`${method} ${path}`, { body })
    expect([response.status, bodyOf(response), response.headers['etag']]).toEqual([200, item, etag])
    const got = await service.call(`GET ${path}`)
    expect([bodyOf(got), got.headers['etag']]).toEqual([item, etag])
  }

  it.each(['nothing', '[]', 'null', '7', '"title"', 'true'])('POST rejects %s instead of an object', async (text) => {
    const details = await rejected(`POST ${TASKS}`, text === 'nothing' ? '' : text)
    expect(details).toMatchObject([{ source: 'body', pointer: '' }])
  })

  it.each([
    ['{"title":"a","title":"a"}', 'DUPLICATE_FIELD', '/title'],
    ['{"title":"a","t\\u0069tle":"b"}', 'DUPLICATE_FIELD', '/title'],
    ['{"title":"a","meta":{"color":"a","color":"a"}}', 'DUPLICATE_FIELD', '/meta/color'],
    ['{"title":"a","nope":1}', 'UNKNOWN_FIELD', '/nope'],
    ['{"title":"a","__proto__":{"done":true}}', 'UNKNOWN_FIELD', '/__proto__'],
    ['{"title":"a","constructor":1}', 'UNKNOWN_FIELD', '/constructor'],
    ['{"title":"a","version":1}', 'UNKNOWN_FIELD', '/version'],
    ['{"title":"a","meta":{"nope":1}}', 'UNKNOWN_FIELD', '/meta/nope'],
    ['{"title":"a","a/b~c":1}', 'UNKNOWN_FIELD', '/a~1b~0c'],
  ])('POST, PUT and PATCH reject duplicate and unknown members: %s', async (body, code, pointer) => {
    const { path } = await service.make({ title: 'Tea' })
    for (const line of [`POST ${TASKS}`, `PUT ${path}`, `PATCH ${path}`])
      expect(await rejected(line, body)).toMatchObject([{ code, source: 'body', pointer }])
  })

  it('a body can nest at most 32 levels', async () => {
    const nest = (depth: number): string => `{"title":"a","tags":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(await rejected(`POST ${TASKS}`, nest(31))).toMatchObject([{ pointer: '/tags/0' }])
    for (const depth of [32, 33, 5000])
      expect(await rejected(`POST ${TASKS}`, nest(depth))).not.toMatchObject([{ pointer: '/tags/0' }])
  })

  it.each(['id', 'createdAt', 'updatedAt'])('%s cannot be set by clients', async (name) => {
    const { item, path, etag } = await service.make(FULL)
    const values: Record<string, unknown> = { id: 777_777, createdAt: '2020-01-01T00:00:00.000Z', updatedAt: null }
    const [details] = await rejected(`POST ${TASKS}`, { ...FULL, [name]: item[name] })
    expect(details).toMatchObject({ source: 'body', pointer: `/${name}` })
    expect(['READ_ONLY', 'UNKNOWN_FIELD']).toContain(details?.code)
    const other = { [name]: values[name] }
    const detail = { code: 'READ_ONLY', source: 'body', pointer: `/${name}` }
    expect(await rejected(`PUT ${path}`, { ...FULL, ...other })).toMatchObject([detail])
    expect(await rejected(`PATCH ${path}`, other)).toMatchObject([detail])
    expect(await rejected(`PATCH ${path}`, { [name]: null })).toMatchObject([detail])
    await expectSame({ item, path, etag }, 'PUT', { ...FULL, [name]: item[name] })
    await expectSame({ item, path, etag }, 'PATCH', { [name]: item[name] })
    const moved = await write(`PUT ${path}`, { ...item, title: 'Coffee' })
    expect(moved).toMatchObject({ id: item.id, createdAt: item.createdAt, title: 'Coffee' })
  })

  it('PUT replaces the whole row', async () => {
    const { item, path } = await service.make(FULL)
    const replaced = await write(`PUT ${path}`, { title: 'Coffee' })
    expect(replaced).toEqual({
      ...TASK_DEFAULTS,
      id: item.id,
      title: 'Coffee',
      createdAt: item.createdAt,
      updatedAt: replaced.updatedAt,
    })
    expect(replaced.updatedAt > item.updatedAt).toBe(true)
  })

  it('PUT requires the required fields and never creates a row', async () => {
    const { path, item } = await service.make(FULL)
    expect(await rejected(`PUT ${path}`, {})).toMatchObject([{ code: 'REQUIRED', source: 'body', pointer: '/title' }])
    expect(bodyOf(await service.call(`GET ${path}`))).toEqual(item)
    const before = await service.call(`GET ${TASKS}?count=true&limit=1`)
    expectFailure(await service.call(`PUT ${TASKS}/777777`, { body: FULL }), 404, 'NOT_FOUND')
    const after = await service.call(`GET ${TASKS}?count=true&limit=1`)
    expect(after.body).toBe(before.body)
  })

  it.each<[patch: object, expected: object]>([
    [{ notes: null }, { notes: null }],
    [{ done: null }, { done: false }],
    [{ priority: null }, { priority: 3 }],
    [{ score: null }, { score: null }],
    [
      { dueAt: null, dueDate: null },
      { dueAt: null, dueDate: null },
    ],
    [{ tags: null }, { tags: [] }],
    [{ meta: null }, { meta: null }],
    [{ tags: ['c'] }, { tags: ['c'] }],
    [{ tags: [] }, { tags: [] }],
    [{ meta: { color: 'blue' } }, { meta: { color: 'blue', size: 2, inner: { one: 1, two: 2 } } }],
    [{ meta: { color: null, inner: { one: null, three: 3 } } }, { meta: { size: 2, inner: { two: 2, three: 3 } } }],
    [{ meta: { inner: null } }, { meta: { color: 'red', size: 2 } }],
    [{ meta: { inner: {} }, title: 'Coffee' }, { title: 'Coffee' }],
  ])('PATCH merges: %j', async (patch, expected) => {
    const { item, path } = await service.make(FULL)
    const patched = await write(`PATCH ${path}`, patch)
    expect(patched).toEqual({ ...item, ...expected, updatedAt: patched.updatedAt })
    expect(patched.updatedAt > item.updatedAt).toBe(true)
    expect(bodyOf(await service.call(`GET ${path}`))).toEqual(patched)
  })

  it('PATCH merges into null as into an empty object', async () => {
    const { path } = await service.make({ title: 'Tea' })
    const patched = await write(`PATCH ${path}`, { meta: { color: null, size: 1, inner: { one: null, two: 2 } } })
    expect(patched['meta']).toEqual({ size: 1, inner: { two: 2 } })
  })

  it.each<[patch: unknown, code: string | undefined, pointer: string]>([
    [[], undefined, ''],
    ['null', undefined, ''],
    ['7', undefined, ''],
    ['"title"', undefined, ''],
    ['', undefined, ''],
    [{ title: null }, 'REQUIRED', '/title'],
    [{ title: '' }, 'TOO_SHORT', '/title'],
    [{ title: 7 }, 'INVALID_TYPE', '/title'],
    [{ priority: 6 }, 'TOO_LARGE', '/priority'],
    [{ tags: ['a', null] }, undefined, '/tags/1'],
    [{ tags: { 0: 'a' } }, undefined, '/tags'],
    [{ meta: [] }, undefined, '/meta'],
    [{ meta: { size: 'large' } }, undefined, '/meta/size'],
    [{ meta: { inner: { one: 'two' } } }, undefined, '/meta/inner/one'],
    [{ nope: null }, 'UNKNOWN_FIELD', '/nope'],
  ])('PATCH rejects a patch with an invalid result: %j', async (patch, code, pointer) => {
    const { item, path, etag } = await service.make(FULL)
    const details = await rejected(`PATCH ${path}`, patch)
    expect(details).toMatchObject([{ source: 'body', pointer, ...(code !== undefined && { code }) }])
    const got = await service.call(`GET ${path}`)
    expect([bodyOf(got), got.headers['etag']]).toEqual([item, etag])
  })

  it.each<[method: string, body: unknown]>([
    ['PATCH', {}],
    ['PATCH', { title: 'Tea' }],
    ['PATCH', FULL],
    ['PATCH', { meta: {} }],
    ['PATCH', { meta: { inner: { two: 2, one: 1 }, size: 2, color: 'red' } }],
    ['PATCH', { meta: { inner: { three: null } } }],
    ['PATCH', { dueAt: '2026-01-02T04:04:05.0069+01:00' }],
    ['PATCH', '{"score":15e-1,"estimate":7.0}'],
    ['PUT', FULL],
    ['PUT', { ...FULL, meta: { size: 2, inner: { two: 2, one: 1 }, color: 'red' } }],
    ['PUT', { ...FULL, dueAt: '2026-01-02T03:04:05.006+00:00' }],
  ])('%s without a change keeps the version and the timestamp: %j', async (method, body) => {
    await expectSame(await service.make(FULL), method, body)
  })

  it('PUT and PATCH accept a row as it was read', async () => {
    for (const values of [{ title: 'Tea' }, FULL]) {
      const made = await service.make(values)
      await expectSame(made, 'PUT', made.item)
      await expectSame(made, 'PATCH', made.item)
    }
  })

  it.each(['constructor', 'toString', '__proto__', ''])(
    'a member named %j is stored unchanged or rejected',
    async (name) => {
      const inner = JSON.parse(`{"${name}":1,"other":2}`) as object
      const made = await service.call(`POST ${TASKS}`, { body: { title: 'Tea', meta: { inner } } })
      expect([201, 400]).toContain(made.status)
      const { path } = await service.make({ title: 'Tea', meta: { inner: { other: 2 } } })
      const patched = await service.call(`PATCH ${path}`, { body: `{"meta":{"inner":{"${name}":1}}}` })
      expect(patched.status).toBe(made.status === 201 ? 200 : 400)
      const kept = [made, patched].filter(({ status }) => status < 300).map((response) => rowOf(response)['meta'])
      for (const meta of kept)
        expect(JSON.stringify(sorted((meta as { inner: object }).inner))).toBe(JSON.stringify(sorted(inner)))
    },
  )

  it('PATCH cannot pollute prototypes', async () => {
    const { path } = await service.make({ title: 'Tea' })
    for (const body of [
      '{"__proto__":{"polluted":1}}',
      '{"constructor":{"prototype":{"polluted":1}}}',
      '{"meta":{"__proto__":{"polluted":1}}}',
      '{"meta":{"inner":{"__proto__":{"polluted":1}}}}',
    ])
      await rejected(`PATCH ${path}`, body)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('a new order of a list is a change', async () => {
    const { item, path, etag } = await service.make(FULL)
    const response = await service.call(`PATCH ${path}`, { body: { tags: ['b', 'a'] } })
    expect(bodyOf(response)).toMatchObject({ tags: ['b', 'a'] })
    expect(response.headers['etag']).not.toBe(etag)
    expect(rowOf(response).updatedAt > item.updatedAt).toBe(true)
  })

  it('updatedAt increases with each of many fast changes', async () => {
    const { path, item } = await service.make({ title: '0' })
    const headers = { 'Content-Type': 'application/json' }
    const requests = Array.from({ length: 40 }, (_, n) =>
      request(`PATCH ${path}`, { headers, body: `{"title":"${n + 1}"}`, keepAlive: n < 39 }),
    )
    const rows = (await sendAll(service.port, Buffer.concat(requests))).map(rowOf)
    expect(rows.map(({ title }) => title)).toEqual(requests.map((_, n) => String(n + 1)))
    expect(rows.every(({ createdAt }) => createdAt === item.createdAt)).toBe(true)
    // The changes run concurrently, so a database may commit them in another order than they were sent.
    const times = rows.map(({ updatedAt }) => updatedAt)
    expect(new Set(times).size).toBe(times.length)
    expect(times.every((time) => time > item.updatedAt)).toBe(true)
    expect(rowOf(await service.call(`GET ${path}`)).updatedAt).toBe(times.toSorted().at(-1))
  })

  it('concurrent changes keep every confirmed change', async () => {
    const { path } = await service.make({ title: 'Tea', meta: { inner: {} } })
    const names = Array.from({ length: 8 }, (_, n) => `n${n}`)
    const responses = await Promise.all(
      names.map((name) => service.call(`PATCH ${path}`, { body: { meta: { inner: { [name]: 1 } } } })),
    )
    for (const { status } of responses) expect([200, 409, 412]).toContain(status)
    const kept = names.filter((_, at) => responses[at]?.status === 200)
    expect(kept.length).toBeGreaterThan(0)
    const times = responses.filter(({ status }) => status === 200).map((response) => rowOf(response).updatedAt)
    expect(new Set(times).size, 'each change has a different time').toBe(kept.length)
    const { meta } = rowOf(await service.call(`GET ${path}`))
    expect(Object.keys((meta as { inner: object }).inner).toSorted()).toEqual(kept)
  })
})

/** Returns the members sorted by name. */
function sorted(members: object): [string, unknown][] {
  return Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1))
}
