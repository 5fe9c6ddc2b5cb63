import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { type Answer, ask, request, type RequestParts } from './wire.ts'

const BIG = 'x'.repeat(1_048_577)
const HTML = { Accept: 'text/html' }
const TEXT = { 'Content-Type': 'text/plain' }
const JSON_ = { 'Content-Type': 'application/json' }
const ADA = { Authorization: 'bearer ada' }
const BOB = { Authorization: 'bearer bob' }

const subject = startSubject()

/** Each request has two faults or more; the first in the order of checks answers. */
describe('of several faults', () => {
  it.each<[first: string, than: string, line: string, parts: RequestParts, status: number, code: string]>([
    ['a long URL', 'a malformed one', `GET /api/notes/%zz${'x'.repeat(8_192)}`, {}, 414, 'URI_TOO_LONG'],
    ['a malformed URL', 'nothing there', 'GET /nowhere/%zz', {}, 400, 'INVALID_REQUEST'],
    ['nothing there', 'the wrong method', 'DELETE /nowhere', {}, 404, 'NOT_FOUND'],
    ['nothing there', 'a malformed query', 'GET /nowhere?a=%zz', {}, 404, 'NOT_FOUND'],
    ['the wrong method', 'nobody signed in', 'PUT /api/guarded/notes', {}, 405, 'METHOD_NOT_ALLOWED'],
    ['the wrong method', 'an Accept without JSON', 'PUT /agent/echo', { headers: HTML }, 405, 'METHOD_NOT_ALLOWED'],
    ['nobody signed in', 'an Accept without JSON', 'GET /api/guarded/notes', { headers: HTML }, 401, 'UNAUTHORIZED'],
    [
      'nobody signed in',
      'another media type',
      'POST /api/guarded/notes',
      { headers: TEXT, body: 'x' },
      401,
      'UNAUTHORIZED',
    ],
    ['nobody signed in', 'a malformed query', 'GET /api/guarded/notes?a=%zz', {}, 401, 'UNAUTHORIZED'],
    [
      'not allowed',
      'an Accept without JSON',
      'GET /api/guarded/notes',
      { headers: { ...BOB, ...HTML } },
      403,
      'FORBIDDEN',
    ],
    [
      'an Accept without JSON',
      'another media type',
      'POST /api/notes',
      { headers: { ...HTML, ...TEXT }, body: 'x' },
      406,
      'NOT_ACCEPTABLE',
    ],
    ['an Accept without JSON', 'a malformed query', 'GET /api/notes/7?a=%zz', { headers: HTML }, 406, 'NOT_ACCEPTABLE'],
    [
      'another media type',
      'a large body',
      'POST /api/notes',
      { headers: TEXT, body: BIG },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'an encoding',
      'a large body',
      'POST /api/notes',
      { headers: { ...JSON_, 'Content-Encoding': 'gzip' }, body: BIG },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'another media type',
      'a malformed query',
      'POST /api/notes?a=%zz',
      { headers: TEXT, body: '{}' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'another media type',
      'a bad path parameter',
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
      'a bad path parameter',
      'PUT /api/numbered/abc',
      { headers: JSON_, body: BIG },
      413,
      'CONTENT_TOO_LARGE',
    ],
    ['a large body', 'broken JSON', 'POST /api/notes', { headers: JSON_, body: BIG }, 413, 'CONTENT_TOO_LARGE'],
  ])('%s answers before %s', async (_first, _than, line, parts, status, code) => {
    expectFailure(await ask(subject.port, request(line, parts)), status, code)
  })

  it.each([
    ['a bad path parameter', 'broken JSON', 'PUT /api/numbered/abc', '{', ['path']],
    ['an unknown parameter', 'broken JSON', 'PUT /api/numbered/7?nope=1', '{', ['query']],
    ['a repeated parameter', 'broken JSON', 'POST /api/notes?a=1&a=2', '{', ['query']],
    ['a bad path parameter', 'an invalid body', 'PUT /api/numbered/abc', '{}', ['path']],
  ])('%s answers before %s', async (_first, _than, line, body, sources) => {
    const answer = await ask(subject.port, request(line, { headers: JSON_, body }))
    const { details } = expectFailure(answer, 400, 'INVALID_REQUEST')
    expect([...new Set(details.map(({ source }) => source))]).toEqual(sources)
  })

  it('all faults of path and query come in one answer', async () => {
    const answer = await ask(subject.port, request('PUT /api/numbered/abc?mode=x', { headers: JSON_, body: '{}' }))
    const { details } = expectFailure(answer, 400, 'INVALID_REQUEST')
    expect(details.map(({ name }) => name)).toEqual(['id', 'mode'])
  })
})

describe('once a quota is used up', () => {
  const limited = startSubject({ rateLimit: { default: { quota: 1, window: 60 }, agent: { quota: 1, window: 60 } } })
  const send = (line: string, parts?: RequestParts): Promise<Answer> => ask(limited.port, request(line, parts))

  it('nothing there, the wrong method and OPTIONS still answer first; all else is 429', async () => {
    expect((await send('GET /api/notes/7')).status).toBe(200)
    expectFailure(await send('GET /api/notes/7'), 429, 'TOO_MANY_REQUESTS')
    expectFailure(await send('GET /api/notes/%zz'), 400, 'INVALID_REQUEST')
    expectFailure(await send('GET /nowhere'), 404, 'NOT_FOUND')
    expectFailure(await send('PUT /api/notes/7'), 405, 'METHOD_NOT_ALLOWED')
    expect((await send('OPTIONS /api/notes/7')).status).toBe(204)
    expectFailure(await send('GET /api/guarded/notes'), 429, 'TOO_MANY_REQUESTS')
    expectFailure(await send('GET /api/notes/7', { headers: HTML }), 429, 'TOO_MANY_REQUESTS')
    expectFailure(await send('POST /api/notes', { headers: TEXT, body: 'x' }), 429, 'TOO_MANY_REQUESTS')
  })

  it('a user has a quota of their own', async () => {
    expect((await send('GET /api/guarded/notes', { headers: ADA })).status).toBe(200)
    expectFailure(await send('GET /api/guarded/notes', { headers: ADA }), 429, 'TOO_MANY_REQUESTS')
    expectFailure(await send('GET /api/guarded/notes', { headers: BOB }), 403, 'FORBIDDEN')
  })
})
