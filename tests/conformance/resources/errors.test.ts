import { beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, type Made, startService, TASKS } from './service.ts'
import { distinctStores } from './stores.ts'

const NASTY = [
  "'",
  '"',
  '`',
  "' or 1=1 --",
  "'; drop table tasks; --",
  '") or ("1"="1',
  '$1',
  '${1}',
  '$$; select pg_sleep(5); $$',
  '\\',
  "\\'; --",
  '/**/union/**/select/**/1',
  '%',
  '_',
  '::int',
  '{}',
  '[object Object]',
  '?',
  '; --',
  '\u02BC or 1=1',
  '../../etc/passwd',
  '\r\nX-Injected: 1',
]

const visible = NASTY.filter((text) => /^[\x20-\x7e]+$/.test(text))

describe.each(distinctStores)('errors of a resource on $store', (kind) => {
  const service = startService(kind)
  let made: Made
  beforeAll(async () => {
    made = await service.make({ title: 'Tea' })
  })

  it.each<[name: string, headers: Record<string, string>]>([
    ['no type', { 'Content-Type': '' }],
    ['text/plain', { 'Content-Type': 'text/plain' }],
    ['latin1', { 'Content-Type': 'application/json; charset=latin1' }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['a merge patch', { 'Content-Type': 'application/merge-patch+json' }],
    ['gzip', { 'Content-Encoding': 'gzip' }],
  ])('POST and PUT return 415 for %s', async (_name, headers) => {
    for (const line of [`POST ${TASKS}`, `PUT ${made.path}`]) {
      const response = await service.call(line, { body: { title: 'Tea' }, headers })
      expectFailure(response, 415, 'UNSUPPORTED_MEDIA_TYPE')
      const name = 'Content-Encoding' in headers ? 'accept-encoding' : 'accept'
      expect(response.headers[name]).toBe(name === 'accept' ? 'application/json' : 'identity')
    }
  })

  it('POST without Content-Type returns 415', async () => {
    const response = await service.call(`POST ${TASKS}`, { headers: { 'Content-Length': '2' } })
    expectFailure(response, 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  it.each(['application/json-patch+json', 'text/plain', 'application/merge-patch+json; charset=latin1'])(
    'PATCH returns 415 with Accept-Patch for %s',
    async (type) => {
      const response = await service.call(`PATCH ${made.path}`, { body: {}, headers: { 'Content-Type': type } })
      expectFailure(response, 415, 'UNSUPPORTED_MEDIA_TYPE')
      expect(response.headers['accept-patch']).toBe('application/merge-patch+json, application/json')
    },
  )

  it.each(['application/json', 'application/merge-patch+json', 'application/merge-patch+json; charset=UTF-8'])(
    'PATCH accepts %s',
    async (type) => {
      const response = await service.call(`PATCH ${made.path}`, { body: {}, headers: { 'Content-Type': type } })
      expect(response.status).toBe(200)
    },
  )

  it.each([
    ['text/html', 406],
    ['application/xml, image/*', 406],
    ['application/json;q=0', 406],
    ['*/*', 200],
    ['application/*', 200],
    ['text/html, application/json;q=0.1', 200],
  ])('GET with Accept: %s returns %i', async (accept, status) => {
    for (const target of [TASKS, made.path]) {
      const response = await service.call(`GET ${target}`, { headers: { Accept: accept } })
      expect(response.status).toBe(status)
      if (status === 406) expectFailure(response, 406, 'NOT_ACCEPTABLE')
    }
  })

  it('a body can have at most 1 MiB', async () => {
    const sized = (size: number): string => `{"title":"a"${' '.repeat(size - 13)}}`
    expect((await service.call(`POST ${TASKS}`, { body: sized(1_048_576) })).status).toBe(201)
    const rejected = await service.call(`POST ${TASKS}`, { body: sized(1_048_577) })
    expectFailure(rejected, 413, 'CONTENT_TOO_LARGE')
    expect(rejected.headers['connection']).toBe('close')
  })

  it('a body with a byte order mark or in another encoding returns 400', async () => {
    for (const body of [Buffer.from('\uFEFF{"title":"a"}'), Buffer.from('{"title":"\xE9"}', 'latin1')]) {
      const response = await service.call(`POST ${TASKS}`, { body })
      expect(expectFailure(response, 400, 'INVALID_REQUEST').details).toMatchObject([{ source: 'body' }])
    }
  })

  it('all issues of a body are in one response, each with its pointer', async () => {
    const body = { title: '', done: 'yes', priority: 9, score: 'x', dueAt: 'now', tags: ['a', 7], nope: 1, id: 1 }
    for (const line of [`POST ${TASKS}`, `PUT ${made.path}`]) {
      const { details } = expectFailure(
        await service.call(line, { body: { ...body, id: 777 } }),
        400,
        'INVALID_REQUEST',
      )
      const pointers = details.map(({ pointer }) => String(pointer)).toSorted()
      expect(pointers).toEqual(['/done', '/dueAt', '/id', '/nope', '/priority', '/score', '/tags/1', '/title'])
      for (const detail of details)
        expect(detail).toMatchObject({
          code: expect.stringMatching(/^[A-Z_]+$/) as string,
          source: 'body',
          message: expect.any(String) as string,
        })
    }
  })

  it('a response lists at most 100 issues', async () => {
    const body = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`n${n}`, n]))
    const { details } = expectFailure(await service.call(`POST ${TASKS}`, { body }), 400, 'INVALID_REQUEST')
    expect(details.length).toBe(100)
  })

  it('a failed GET has the same Vary header as a successful one', async () => {
    for (const target of [`${TASKS}/777777`, `${TASKS}/abc`, `${TASKS}?nope=1`]) {
      const { headers } = await service.call(`GET ${target}`)
      expect((headers['vary'] ?? '').split(', ').toSorted()).toEqual(['Accept', 'Authorization', 'Cookie'])
    }
  })

  it('X-Request-Id is returned', async () => {
    const responses = [
      await service.call(`GET ${TASKS}`, { headers: { 'X-Request-Id': 'abcdefgh' } }),
      await service.call(`GET ${TASKS}/abc`, { headers: { 'X-Request-Id': 'abcdefgh' } }),
      await service.call(`POST ${TASKS}`, { headers: { 'X-Request-Id': 'abcdefgh' }, body: { title: 'Tea' } }),
    ]
    expect(responses.map(({ headers }) => headers['x-request-id'])).toEqual(Array(3).fill('abcdefgh'))
  })

  it.each(NASTY)('text in a URL is never run as SQL: %j', async (text) => {
    const value = encodeURIComponent(text)
    const targets = [
      `/${value}`,
      `?${value}=1`,
      `?title[${value}]=1`,
      `?limit=${value}`,
      `?cursor=${value}`,
      `?sort=${value}`,
      `?sort=title,${value}`,
      `?sort=-title${value}`,
      `?count=${value}`,
      ...['title', 'notes', 'done', 'priority', 'score', 'estimate', 'dueAt', 'dueDate'].flatMap((name) =>
        [name, `${name}[ne]`, `${name}[gt]`, `${name}[in]`].map((parameter) => `?${parameter}=${value}`),
      ),
    ]
    for (const target of targets) {
      const response = await service.call(`GET ${TASKS}${target}`)
      expect([200, 400, 404], target).toContain(response.status)
      expect(response.headers).not.toHaveProperty('x-injected')
      if (response.status !== 200)
        expectFailure(response, response.status, response.status === 404 ? 'NOT_FOUND' : 'INVALID_REQUEST')
      expect(response.body).not.toMatch(/syntax error|relation|column|\bat \w+ \(/)
    }
    expect((await service.call(`GET ${made.path}`)).status).toBe(200)
  })

  it.each(visible)('text in a header is never run as SQL: %j', async (text) => {
    for (const name of ['If-Match', 'If-None-Match', 'Idempotency-Key', 'X-Request-Id', 'traceparent', 'Range'])
      for (const value of [text, `"${text.replaceAll(/["\\ ]/g, '')}"`]) {
        const { status } = await service.call(`GET ${made.path}`, { headers: { [name]: value } })
        expect([200, 304, 400, 412], `${name}: ${value}`).toContain(status)
      }
    const response = await service.call('GET /api/v1/documents', { as: text.replaceAll(' ', '') })
    expect([response.status, bodyOf(response)['data']]).toEqual([200, []])
  })

  it.each(NASTY)('text in a body is never run as SQL: %j', async (text) => {
    const values = { title: text, notes: text, tags: [text], meta: { inner: { [text]: 1 } } }
    const { item, path } = await service.make(values)
    expect(item).toMatchObject(values)
    const patched = await service.call(`PATCH ${path}`, { body: { notes: `${text}${text}` } })
    expect([patched.status, bodyOf(patched)]).toMatchObject([200, { notes: `${text}${text}` }])
    expect(bodyOf(await service.call(`DELETE ${path}`))).toMatchObject(values.meta === undefined ? {} : { title: text })
  })
})
