import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { type RawResponse, send, request, type RequestParts } from './wire.ts'

const BIG = 'x'.repeat(1_048_577)
const HTML = { Accept: 'text/html' }
const TEXT = { 'Content-Type': 'text/plain' }
const JSON_ = { 'Content-Type': 'application/json' }
const ADA = { Authorization: 'bearer ada' }
const BOB = { Authorization: 'bearer bob' }

const subject = startSubject()

/** Each request has two errors or more; the response is for the first in the order of checks. */
describe('for a request with several errors', () => {
  it.each<[first: string, second: string, line: string, parts: RequestParts, status: number, code: string]>([
    ['a long URL', 'a malformed URL', `GET /api/notes/%zz${'x'.repeat(8_192)}`, {}, 414, 'URI_TOO_LONG'],
    ['a malformed URL', 'an unknown path', 'GET /nowhere/%zz', {}, 400, 'INVALID_REQUEST'],
    ['an unknown path', 'the wrong method', 'DELETE /nowhere', {}, 404, 'NOT_FOUND'],
    ['an unknown path', 'a malformed query', 'GET /nowhere?a=%zz', {}, 404, 'NOT_FOUND'],
    ['the wrong method', 'a missing session', 'PUT /api/guarded/notes', {}, 405, 'METHOD_NOT_ALLOWED'],
    ['the wrong method', 'an Accept without JSON', 'PUT /agent/echo', { headers: HTML }, 405, 'METHOD_NOT_ALLOWED'],
    ['a missing session', 'an Accept without JSON', 'GET /api/guarded/notes', { headers: HTML }, 401, 'UNAUTHORIZED'],
    [
      'a missing session',
      'an unsupported media type',
      'POST /api/guarded/notes',
      { headers: TEXT, body: 'x' },
      401,
      'UNAUTHORIZED',
    ],
    ['a missing session', 'a malformed query', 'GET /api/guarded/notes?a=%zz', {}, 401, 'UNAUTHORIZED'],
    [
      'a forbidden user',
      'an Accept without JSON',
      'GET /api/guarded/notes',
      { headers: { ...BOB, ...HTML } },
      403,
      'FORBIDDEN',
    ],
    [
      'an Accept without JSON',
      'an unsupported media type',
      'POST /api/notes',
      { headers: { ...HTML, ...TEXT }, body: 'x' },
      406,
      'NOT_ACCEPTABLE',
    ],
    ['an Accept without JSON', 'a malformed query', 'GET /api/notes/7?a=%zz', { headers: HTML }, 406, 'NOT_ACCEPTABLE'],
    [
      'an unsupported media type',
      'a large body',
      'POST /api/notes',
      { headers: TEXT, body: BIG },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'an unsupported encoding',
      'a large body',
      'POST /api/notes',
      { headers: { ...JSON_, 'Content-Encoding': 'gzip' }, body: BIG },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'an unsupported media type',
      'a malformed query',
      'POST /api/notes?a=%zz',
      { headers: TEXT, body: '{}' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'an unsupported media type',
      'an invalid path parameter',
      'PUT /api/numbered/abc',
      { headers: TEXT, body: '{}' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a large body',
      'a malformed query',
      'POST /api/notes?a=%zz',
      { headers: JSON_, body: BIG },
      413,
      'CONTENT_TOO_LARGE',
    ],
    [
      'a large body',
      'an invalid path parameter',
      'PUT /api/numbered/abc',
      { headers: JSON_, body: BIG },
      413,
      'CONTENT_TOO_LARGE',
    ],
    ['a large body', 'invalid JSON', 'POST /api/notes', { headers: JSON_, body: BIG }, 413, 'CONTENT_TOO_LARGE'],
  ])('%s is reported before %s', async (_first, _second, line, parts, status, code) => {
    expectFailure(await send(subject.port, request(line, parts)), status, code)
  })

  it.each([
    ['an invalid path parameter', 'invalid JSON', 'PUT /api/numbered/abc', '{', ['path']],
    ['an unknown parameter', 'invalid JSON', 'PUT /api/numbered/7?nope=1', '{', ['query']],
    ['a repeated parameter', 'invalid JSON', 'POST /api/notes?a=1&a=2', '{', ['query']],
    ['an invalid path parameter', 'an invalid body', 'PUT /api/numbered/abc', '{}', ['path']],
  ])('%s is reported before %s', async (_first, _second, line, body, sources) => {
    const response = await send(subject.port, request(line, { headers: JSON_, body }))
    const { details } = expectFailure(response, 400, 'INVALID_REQUEST')
    expect([...new Set(details.map(({ source }) => source))]).toEqual(sources)
  })

  it('all issues of path and query are in one response', async () => {
    const response = await send(subject.port, request('PUT /api/numbered/abc?mode=x', { headers: JSON_, body: '{}' }))
    const { details } = expectFailure(response, 400, 'INVALID_REQUEST')
    expect(details.map(({ name }) => name)).toEqual(['id', 'mode'])
  })
})

describe('with an exhausted quota', () => {
  const limited = startSubject({ rateLimit: { default: { quota: 1, window: 60 }, agent: { quota: 1, window: 60 } } })
  const call = (line: string, parts?: RequestParts): Promise<RawResponse> => send(limited.port, request(line, parts))

  it('unknown paths, wrong methods and OPTIONS are not limited, and other requests return 429', async () => {
    expect((await call('GET /api/notes/7')).status).toBe(200)
    expectFailure(await call('GET /api/notes/7'), 429, 'TOO_MANY_REQUESTS')
    expectFailure(await call('GET /api/notes/%zz'), 400, 'INVALID_REQUEST')
    expectFailure(await call('GET /nowhere'), 404, 'NOT_FOUND')
    expectFailure(await call('PUT /api/notes/7'), 405, 'METHOD_NOT_ALLOWED')
    expect((await call('OPTIONS /api/notes/7')).status).toBe(204)
    expectFailure(await call('GET /api/guarded/notes'), 429, 'TOO_MANY_REQUESTS')
    expectFailure(await call('GET /api/notes/7', { headers: HTML }), 429, 'TOO_MANY_REQUESTS')
    expectFailure(await call('POST /api/notes', { headers: TEXT, body: 'x' }), 429, 'TOO_MANY_REQUESTS')
  })

  it('each user has a separate quota', async () => {
    expect((await call('GET /api/guarded/notes', { headers: ADA })).status).toBe(200)
    expectFailure(await call('GET /api/guarded/notes', { headers: ADA }), 429, 'TOO_MANY_REQUESTS')
    expectFailure(await call('GET /api/guarded/notes', { headers: BOB }), 403, 'FORBIDDEN')
  })
})
