import { beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, type Made, startService, TASKS } from './service.ts'
import { stores } from './stores.ts'

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

describe.each(stores)('errors of a resource on $store', (kind) => {
  const service = startService(kind)
  let made: Made
  beforeAll(async () => {
    made = await service.make({ title: 'Tea' })
  })

  it.each<[what: string, headers: Record<string, string>]>([
    ['no type', { 'Content-Type': '' }],
    ['text/plain', { 'Content-Type': 'text/plain' }],
    ['latin1', { 'Content-Type': 'application/json; charset=latin1' }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['a merge patch', { 'Content-Type': 'application/merge-patch+json' }],
    ['gzip', { 'Content-Encoding': 'gzip' }],
  ])('POST and PUT as %s are 415', async (_what, headers) => {
    for (const line of [`POST ${TASKS}`, `PUT ${made.path}`]) {
      const answer = await service.call(line, { body: { title: 'Tea' }, headers })
      expectFailure(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
      const name = 'Content-Encoding' in headers ? 'accept-encoding' : 'accept'
      expect(answer.headers[name]).toBe(name === 'accept' ? 'application/json' : 'identity')
    }
  })

  it('POST without any type is 415', async () => {
    const answer = await service.call(`POST ${TASKS}`, { headers: { 'Content-Length': '2' } })
    expectFailure(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  it.each(['application/json-patch+json', 'text/plain', 'application/merge-patch+json; charset=latin1'])(
    'PATCH as %s is 415, and says which types there are',
    async (type) => {
      const answer = await service.call(`PATCH ${made.path}`, { body: {}, headers: { 'Content-Type': type } })
      expectFailure(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
      expect(answer.headers['accept-patch']).toBe('application/merge-patch+json, application/json')
    },
  )

  it.each(['application/json', 'application/merge-patch+json', 'application/merge-patch+json; charset=UTF-8'])(
    'PATCH may be %s',
    async (type) => {
      const answer = await service.call(`PATCH ${made.path}`, { body: {}, headers: { 'Content-Type': type } })
      expect(answer.status).toBe(200)
    },
  )

  it.each([
    ['text/html', 406],
    ['application/xml, image/*', 406],
    ['application/json;q=0', 406],
    ['*/*', 200],
    ['application/*', 200],
    ['text/html, application/json;q=0.1', 200],
  ])('Accept: %s is %i', async (accept, status) => {
    for (const target of [TASKS, made.path]) {
      const answer = await service.call(`GET ${target}`, { headers: { Accept: accept } })
      expect(answer.status).toBe(status)
      if (status === 406) expectFailure(answer, 406, 'NOT_ACCEPTABLE')
    }
  })

  it('a body has 1 MiB, and not a byte more', async () => {
    const sized = (size: number): string => `{"title":"a"${' '.repeat(size - 13)}}`
    expect((await service.call(`POST ${TASKS}`, { body: sized(1_048_576) })).status).toBe(201)
    const refused = await service.call(`POST ${TASKS}`, { body: sized(1_048_577) })
    expectFailure(refused, 413, 'CONTENT_TOO_LARGE')
    expect(refused.headers['connection']).toBe('close')
  })

  it('a body with a byte order mark, or in another encoding, is 400', async () => {
    for (const body of [Buffer.from('\uFEFF{"title":"a"}'), Buffer.from('{"title":"\xE9"}', 'latin1')]) {
      const answer = await service.call(`POST ${TASKS}`, { body })
      expect(expectFailure(answer, 400, 'INVALID_REQUEST').details).toMatchObject([{ source: 'body' }])
    }
  })

  it('all faults of a body come at once, each with its place', async () => {
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

  it('faults beyond a hundred are not told', async () => {
    const body = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`n${n}`, n]))
    const { details } = expectFailure(await service.call(`POST ${TASKS}`, { body }), 400, 'INVALID_REQUEST')
    expect(details.length).toBe(100)
  })

  it('a GET that fails varies as one that does not', async () => {
    for (const target of [`${TASKS}/777777`, `${TASKS}/abc`, `${TASKS}?nope=1`]) {
      const { headers } = await service.call(`GET ${target}`)
      expect((headers['vary'] ?? '').split(', ').toSorted()).toEqual(['Accept', 'Authorization', 'Cookie'])
    }
  })

  it('an id of a request comes back', async () => {
    const answers = [
      await service.call(`GET ${TASKS}`, { headers: { 'X-Request-Id': 'abcdefgh' } }),
      await service.call(`GET ${TASKS}/abc`, { headers: { 'X-Request-Id': 'abcdefgh' } }),
      await service.call(`POST ${TASKS}`, { headers: { 'X-Request-Id': 'abcdefgh' }, body: { title: 'Tea' } }),
    ]
    expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual(Array(3).fill('abcdefgh'))
  })

  it.each(NASTY)('nothing in a URL reaches the database as SQL: %j', async (text) => {
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
      const answer = await service.call(`GET ${TASKS}${target}`)
      expect([200, 400, 404], target).toContain(answer.status)
      expect(answer.headers).not.toHaveProperty('x-injected')
      if (answer.status !== 200)
        expectFailure(answer, answer.status, answer.status === 404 ? 'NOT_FOUND' : 'INVALID_REQUEST')
      expect(answer.body).not.toMatch(/syntax error|relation|column|\bat \w+ \(/)
    }
    expect((await service.call(`GET ${made.path}`)).status).toBe(200)
  })

  it.each(visible)('nothing in a header does: %j', async (text) => {
    for (const name of ['If-Match', 'If-None-Match', 'Idempotency-Key', 'X-Request-Id', 'traceparent', 'Range'])
      for (const value of [text, `"${text.replaceAll(/["\\ ]/g, '')}"`]) {
        const { status } = await service.call(`GET ${made.path}`, { headers: { [name]: value } })
        expect([200, 304, 400, 412], `${name}: ${value}`).toContain(status)
      }
    const asked = await service.call('GET /api/v1/documents', { as: text.replaceAll(' ', '') })
    expect([asked.status, bodyOf(asked)['data']]).toEqual([200, []])
  })

  it.each(NASTY)('nothing in a body does: %j', async (text) => {
    const values = { title: text, notes: text, tags: [text], meta: { inner: { [text]: 1 } } }
    const { item, path } = await service.make(values)
    expect(item).toMatchObject(values)
    const patched = await service.call(`PATCH ${path}`, { body: { notes: `${text}${text}` } })
    expect([patched.status, bodyOf(patched)]).toMatchObject([200, { notes: `${text}${text}` }])
    expect(bodyOf(await service.call(`DELETE ${path}`))).toMatchObject(values.meta === undefined ? {} : { title: text })
  })
})
