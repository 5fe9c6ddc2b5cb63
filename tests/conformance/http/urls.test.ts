import { createApp, createRouter } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { send, request } from './wire.ts'

const subject = startSubject()
const get = (target: string) => send(subject.port, request(`GET ${target}`))

describe('a path', () => {
  it.each(['/API/notes/7', '/api/Notes/7', '/Agent/echo', '/agent/Echo'])(
    'is case-sensitive: %s is not found',
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
  ])('is not normalized or redirected: %s is not found', async (path) => {
    const response = await get(path)
    expectFailure(response, 404, 'NOT_FOUND')
    expect(response.headers).not.toHaveProperty('location')
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
    const response = await get(path)
    expect([response.status, JSON.parse(response.body)]).toEqual([200, { id, query: {} }])
  })

  it('keeps an escaped slash inside its segment', async () => {
    expectFailure(await get('/api%2Fnotes%2F7'), 404, 'NOT_FOUND')
    const { body } = await get('/api/tree/a/b%2Fc')
    expect(JSON.parse(body)).toEqual({ path: expect.stringMatching(/^a\/b(?:%2F|\/)c$/) as string })
  })

  it.each([
    ['an incomplete escape', '/api/notes/%'],
    ['an incomplete escape', '/api/notes/%4'],
    ['an escape that is not hexadecimal', '/api/notes/%zz'],
    ['a lone byte of UTF-8', '/api/notes/%ff'],
    ['an overlong slash', '/api/notes/%c0%af'],
    ['a surrogate in UTF-8', '/api/notes/%ed%a0%80'],
    ['a code point above U+10FFFF', '/api/notes/%f4%90%80%80'],
    ['NUL', '/api/notes/a%00b'],
    ['an invalid escape at an unknown path', '/nowhere/%zz'],
    ['unescaped text', '/api/notes/é'],
  ])('with %s is rejected: %s', async (_name, path) => {
    expectFailure(await get(path), 400, 'INVALID_REQUEST')
  })

  it('with an invalid parameter returns its name', async () => {
    const response = await send(
      subject.port,
      request('PUT /api/numbered/abc', { body: '{"title":"Tea"}', headers: { 'Content-Type': 'application/json' } }),
    )
    expect(expectFailure(response, 400, 'INVALID_REQUEST').details).toMatchObject([{ source: 'path', name: 'id' }])
  })

  it('can have at most 8 KiB, including its query', async () => {
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
  ])('is parsed as a form: ?%s', async (query, expected) => {
    const response = await get(`/api/notes/7?${query}`)
    expect([response.status, JSON.parse(response.body)]).toEqual([200, { id: '7', query: expected }])
  })

  it('can have the parameter __proto__', async () => {
    const { body } = await get('/api/notes/7?__proto__=1')
    expect(body).toContain('"query":{"__proto__":"1"}')
  })

  it.each(['a=1&a=2', 'a=1&%61=2', 'a&a', 'a=1&b=2&a=1', 'a+b=1&a%20b=2'])(
    'with a repeated key is rejected: ?%s',
    async (query) => {
      const { details } = expectFailure(await get(`/api/notes/7?${query}`), 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ code: 'DUPLICATE_PARAMETER', source: 'query' }])
    },
  )

  it.each(['%ZZ', 'a=%', 'a=%ff', '%c0%af=1', 'a=%ed%a0%80', 'a=%00'])(
    'that is malformed is rejected: ?%s',
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
  ])('that does not match its schema returns the reason: ?%s', async (query, code, name) => {
    const { details } = expectFailure(await get(`/api/search?${query}`), 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ code, source: 'query', name }])
  })
})

describe('a reserved name under /api', () => {
  it.each(['GET /api/v1', 'GET /api/v2/things', 'POST /api/v10/things/:id'])('throws in createApp: %s', (route) => {
    expect(() => createApp({ router: createRouter().on(route, () => null) })).toThrow(TypeError)
  })

  it.each(['GET /api/vault', 'GET /api/v/things', 'GET /api/v1x'])('is v with digits only: %s is allowed', (route) => {
    expect(() => createApp({ router: createRouter().on(route, () => null) })).not.toThrow()
  })
})
