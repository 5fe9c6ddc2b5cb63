import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { send, post, request } from './wire.ts'

const subject = startSubject()
const get = (target: string, headers: Record<string, string> = {}) =>
  send(subject.port, request(`GET ${target}`, { headers }))

describe('an error response', () => {
  it('lists all issues of a body, each with its pointer', async () => {
    const response = await send(
      subject.port,
      post('/api/notes', '{"title":"","stars":-1,"tags":["fine","much too long"],"x":1}'),
    )
    const { details } = expectFailure(response, 400, 'INVALID_REQUEST')
    expect(details.map(({ code, pointer }) => `${code} ${pointer}`).toSorted()).toEqual([
      'TOO_LONG /tags/1',
      'TOO_SHORT /title',
      'TOO_SMALL /stars',
      'UNKNOWN_FIELD /x',
    ])
    expect(details.find(({ code }) => code === 'TOO_LONG')).toMatchObject({ source: 'body', max: 10 })
  })

  it('lists at most 100 issues', async () => {
    const tags = Array.from({ length: 150 }, () => 'x'.repeat(11))
    const response = await send(subject.port, post('/api/notes', JSON.stringify({ title: 'Tea', tags })))
    expect(expectFailure(response, 400, 'INVALID_REQUEST').details).toHaveLength(100)
  })

  it('reports a missing member as REQUIRED', async () => {
    const response = await send(subject.port, post('/api/notes', '{}'))
    expect(expectFailure(response, 400, 'INVALID_REQUEST').details).toMatchObject([
      { code: 'REQUIRED', source: 'body', pointer: '/title' },
    ])
  })

  it.each([
    ['{"a/b":1,"title":"x"}', '/a~1b'],
    ['{"a~b":1,"title":"x"}', '/a~0b'],
  ])('has pointers escaped according to RFC 6901: %s', async (body, pointer) => {
    const response = await send(subject.port, post('/api/notes', body))
    expect(expectFailure(response, 400, 'INVALID_REQUEST').details).toMatchObject([{ pointer }])
  })

  it('hides the message of an unexpected error, and the log contains it', async () => {
    const response = await get('/api/broken', { 'X-Request-Id': 'broken-request-1' })
    expect(expectFailure(response, 500, 'INTERNAL_SERVER_ERROR').details).toEqual([])
    expect(response.body).not.toMatch(/swordfish|Error:|\.ts|node:/)
    expect(subject.log.filter((line) => line.includes('swordfish') && line.includes('broken-request-1'))).not.toEqual(
      [],
    )
  })

  it.each([
    ['/api/teapot', 418, 'SHORT_AND_STOUT', {}],
    ['/api/busy', 503, 'SERVICE_UNAVAILABLE', { 'retry-after': '2' }],
    ['/api/guarded/notes', 401, 'UNAUTHORIZED', { 'www-authenticate': 'Bearer' }],
  ])('has the status, code and headers of a thrown ApiError: %s', async (path, status, code, headers) => {
    const response = await get(path)
    expectFailure(response, status, code)
    expect(response.headers).toMatchObject(headers)
  })

  it('is the last chunk of a stream that has started', async () => {
    const response = await send(subject.port, post('/agent/stumble', 'null'))
    expect([response.status, response.headers['content-type']]).toEqual([200, 'application/x-ndjson'])
    expect(response.body.split('\n')).toEqual([
      '{"n":1}',
      '{"error":{"code":"CONFLICT","message":"the second one is taken","details":[]}}',
      '',
    ])
  })
})

describe('a successful response', () => {
  it('can have an error member in its payload', async () => {
    const response = await get('/api/payload')
    expect([response.status, JSON.parse(response.body)]).toMatchObject([200, { error: { code: 'NOT_FOUND' } }])
  })
})

describe('application/problem+json', () => {
  const problem = { Accept: 'application/problem+json' }

  it.each([
    ['/nowhere', 404, 'NOT_FOUND'],
    ['/api/search?nope=1', 400, 'INVALID_REQUEST'],
    ['/api/broken', 500, 'INTERNAL_SERVER_ERROR'],
  ])('includes the envelope if Accept prefers it: %s', async (target, status, code) => {
    const response = await get(target, problem)
    expect([response.status, response.headers['content-type']]).toEqual([status, 'application/problem+json'])
    const { error, ...rest } = JSON.parse(response.body) as { error: Record<string, unknown> }
    expect(rest).toMatchObject({ status, title: expect.any(String) as string })
    expect(Object.keys(error)).toEqual(['code', 'message', 'details'])
    expect(error['code']).toBe(code)
  })

  it('is not used for a successful response', async () => {
    const response = await get('/api/notes/7', { Accept: 'application/problem+json, application/json' })
    expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json'])
  })

  it('is not used if Accept prefers JSON', async () => {
    const response = await get('/nowhere', { Accept: 'application/json, application/problem+json;q=0.5' })
    expectFailure(response, 404, 'NOT_FOUND')
  })
})
