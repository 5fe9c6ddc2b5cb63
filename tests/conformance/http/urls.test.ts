import { createApp, createRouter } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { ask, request } from './wire.ts'

const subject = startSubject()
const get = (target: string) => ask(subject.port, request(`GET ${target}`))

describe('a path', () => {
  it.each(['/API/notes/7', '/api/Notes/7', '/Agent/echo', '/agent/Echo'])(
    'is case-sensitive: %s is nowhere',
    async (path) => {
      expectFailure(await get(path), 404, 'NOT_FOUND')
    },
  )

  it.each([
    '/api/notes/7/',
    '/api/notes/',
    '/api//notes/7',
    '//api/notes/7',
    '/api/notes//7',
    '/api/./notes/7',
    '/api/notes/.',
    '/api/notes/..',
    '/api/notes/%2e',
    '/api/notes/%2E%2e',
    '/api/guarded/../notes/7',
    '/api/x/%2e%2e/notes/7',
    '/api/tree/a//b',
    '/api/tree/a/../b',
    '/api/tree/a/%2e%2e/b',
    '/api/tree/a/',
    '/agent/echo/',
    '/',
    '/api',
    '/api/v9/tasks',
  ])('is never put right and never redirected: %s is nowhere', async (path) => {
    const answer = await get(path)
    expectFailure(answer, 404, 'NOT_FOUND')
    expect(answer.headers).not.toHaveProperty('location')
  })

  it.each([
    ['/api/notes/%37', '7'],
    ['/api/notes/a%2Fb', 'a/b'],
    ['/api/notes/a%2fb', 'a/b'],
    ['/api/notes/%2541', '%41'],
    ['/api/notes/%252F', '%2F'],
    ['/api/notes/%25', '%'],
    ['/api/notes/a+b', 'a+b'],
    ['/api/notes/%C3%A9', 'é'],
    ['/api/notes/e%CC%81', 'e\u0301'],
    ['/api/notes/%F0%9F%8D%B5', '🍵'],
    ['/api/notes/...', '...'],
    ['/api/notes/%3Fq%23', '?q#'],
    ['/api/notes/__proto__', '__proto__'],
    ['/api/n%6Ftes/7', '7'],
  ])('is decoded once, segment by segment: %s', async (path, id) => {
    const answer = await get(path)
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { id, query: {} }])
  })

  it('keeps an escaped slash inside its segment', async () => {
    expectFailure(await get('/api%2Fnotes%2F7'), 404, 'NOT_FOUND')
    const { body } = await get('/api/tree/a/b%2Fc')
    expect(JSON.parse(body)).toEqual({ path: expect.stringMatching(/^a\/b(?:%2F|\/)c$/) as string })
  })

  it.each([
    ['half an escape', '/api/notes/%'],
    ['half an escape', '/api/notes/%4'],
    ['no hexadecimal', '/api/notes/%zz'],
    ['a lone byte of UTF-8', '/api/notes/%ff'],
    ['an overlong slash', '/api/notes/%c0%af'],
    ['a surrogate in UTF-8', '/api/notes/%ed%a0%80'],
    ['beyond Unicode', '/api/notes/%f4%90%80%80'],
    ['NUL', '/api/notes/a%00b'],
    ['a bad escape where nothing is', '/nowhere/%zz'],
    ['text that was not escaped', '/api/notes/é'],
  ])('with %s is malformed: %s', async (_what, path) => {
    expectFailure(await get(path), 400, 'INVALID_REQUEST')
  })

  it('that its schema refuses says which parameter', async () => {
    const answer = await ask(
      subject.port,
      request('PUT /api/numbered/abc', { body: '{"title":"Tea"}', headers: { 'Content-Type': 'application/json' } }),
    )
    expect(expectFailure(answer, 400, 'INVALID_REQUEST').details).toMatchObject([{ source: 'path', name: 'id' }])
  })

  it('may have 8 KiB with its query, and no more', async () => {
    const start = '/api/notes/'
    expect((await get(start + 'x'.repeat(8_192 - start.length))).status).toBe(200)
    expectFailure(await get(start + 'x'.repeat(8_193 - start.length)), 414, 'URI_TOO_LONG')
    expectFailure(await get(`${start}7?q=${'x'.repeat(8_192)}`), 414, 'URI_TOO_LONG')
  })
})

describe('a query', () => {
  it.each([
    ['a=1+2', { a: '1 2' }],
    ['a=1%2B2', { a: '1+2' }],
    ['a=%C3%A9', { a: 'é' }],
    ['a=%2526', { a: '%26' }],
    ['a=1=2', { a: '1=2' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['', {}],
    ['&a=1&&b=2&', { a: '1', b: '2' }],
    ['a=1?b=2', { a: '1?b=2' }],
    ['a=/../', { a: '/../' }],
    ['constructor=1&toString=2', { constructor: '1', toString: '2' }],
  ])('is read as a form: ?%s', async (query, expected) => {
    const answer = await get(`/api/notes/7?${query}`)
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { id: '7', query: expected }])
  })

  it('names nothing by accident: ?__proto__=1', async () => {
    const { body } = await get('/api/notes/7?__proto__=1')
    expect(body).toContain('"query":{"__proto__":"1"}')
  })

  it.each(['a=1&a=2', 'a=1&%61=2', 'a&a', 'a=1&b=2&a=1', 'a+b=1&a%20b=2'])(
    'with a repeated key is refused: ?%s',
    async (query) => {
      const { details } = expectFailure(await get(`/api/notes/7?${query}`), 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ code: 'DUPLICATE_PARAMETER', source: 'query' }])
    },
  )

  it.each(['%ZZ', 'a=%', 'a=%ff', '%c0%af=1', 'a=%ed%a0%80', 'a=%00'])(
    'that is malformed is refused: ?%s',
    async (query) => {
      expect(expectFailure(await get(`/api/notes/7?${query}`), 400, 'INVALID_REQUEST').details).toMatchObject([
        { source: 'query' },
      ])
    },
  )

  it.each([
    ['q=tea&nope=1', 'UNKNOWN_PARAMETER', 'nope'],
    ['q=tea&__proto__=1', 'UNKNOWN_PARAMETER', '__proto__'],
    ['', 'REQUIRED', 'q'],
    ['q=', 'TOO_SHORT', 'q'],
    ['q=tea&exact=1', 'INVALID_VALUE', 'exact'],
    ['q=tea&exact=TRUE', 'INVALID_VALUE', 'exact'],
  ])('that its schema refuses says why: ?%s', async (query, code, name) => {
    const { details } = expectFailure(await get(`/api/search?${query}`), 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ code, source: 'query', name }])
  })
})

describe('a name that is reserved under /api', () => {
  it.each(['GET /api/v1', 'GET /api/v2/things', 'POST /api/v10/things/:id'])('is refused at once: %s', (route) => {
    expect(() => createApp({ router: createRouter().on(route, () => null) })).toThrow(TypeError)
  })

  it.each(['GET /api/vault', 'GET /api/v/things', 'GET /api/v1x'])('is exactly v and digits: %s is fine', (route) => {
    expect(() => createApp({ router: createRouter().on(route, () => null) })).not.toThrow()
  })
})
