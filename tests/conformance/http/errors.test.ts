import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { ask, post, request } from './wire.ts'

const subject = startSubject()
const get = (target: string, headers: Record<string, string> = {}) =>
  ask(subject.port, request(`GET ${target}`, { headers }))

describe('a failure', () => {
  it('tells all faults of a body at once, each with its place', async () => {
    const answer = await ask(
      subject.port,
      post('/api/notes', '{"title":"","stars":-1,"tags":["fine","much too long"],"x":1}'),
    )
    const { details } = expectFailure(answer, 400, 'INVALID_REQUEST')
    expect(details.map(({ code, pointer }) => `${code} ${pointer}`).toSorted()).toEqual([
      'TOO_LONG /tags/1',
      'TOO_SHORT /title',
      'TOO_SMALL /stars',
      'UNKNOWN_FIELD /x',
    ])
    expect(details.find(({ code }) => code === 'TOO_LONG')).toMatchObject({ source: 'body', max: 10 })
  })

  it('tells at most a hundred faults', async () => {
    const tags = Array.from({ length: 150 }, () => 'x'.repeat(11))
    const answer = await ask(subject.port, post('/api/notes', JSON.stringify({ title: 'Tea', tags })))
    expect(expectFailure(answer, 400, 'INVALID_REQUEST').details).toHaveLength(100)
  })

  it('says that a member is missing', async () => {
    const answer = await ask(subject.port, post('/api/notes', '{}'))
    expect(expectFailure(answer, 400, 'INVALID_REQUEST').details).toMatchObject([
      { code: 'REQUIRED', source: 'body', pointer: '/title' },
    ])
  })

  it.each([
    ['{"a/b":1,"title":"x"}', '/a~1b'],
    ['{"a~b":1,"title":"x"}', '/a~0b'],
  ])('points into the body as RFC 6901 says: %s', async (body, pointer) => {
    const answer = await ask(subject.port, post('/api/notes', body))
    expect(expectFailure(answer, 400, 'INVALID_REQUEST').details).toMatchObject([{ pointer }])
  })

  it('of ours shows nothing of what went wrong, and the log shows all of it', async () => {
    const answer = await get('/api/broken', { 'X-Request-Id': 'broken-request-1' })
    expect(expectFailure(answer, 500, 'INTERNAL_SERVER_ERROR').details).toEqual([])
    expect(answer.body).not.toMatch(/swordfish|Error:|\.ts|node:/)
    expect(subject.log.filter((line) => line.includes('swordfish') && line.includes('broken-request-1'))).not.toEqual(
      [],
    )
  })

  it.each([
    ['/api/teapot', 418, 'SHORT_AND_STOUT', {}],
    ['/api/busy', 503, 'SERVICE_UNAVAILABLE', { 'retry-after': '2' }],
    ['/api/guarded/notes', 401, 'UNAUTHORIZED', { 'www-authenticate': 'Bearer' }],
  ])('that a handler throws is told as it is: %s', async (path, status, code, headers) => {
    const answer = await get(path)
    expectFailure(answer, status, code)
    expect(answer.headers).toMatchObject(headers)
  })

  it('after a stream began is its last chunk', async () => {
    const answer = await ask(subject.port, post('/agent/stumble', 'null'))
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson'])
    expect(answer.body.split('\n')).toEqual([
      '{"n":1}',
      '{"error":{"code":"CONFLICT","message":"the second one is taken","details":[]}}',
      '',
    ])
  })
})

describe('a success', () => {
  it('may speak of an error in its payload', async () => {
    const answer = await get('/api/payload')
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, { error: { code: 'NOT_FOUND' } }])
  })
})

describe('application/problem+json', () => {
  const problem = { Accept: 'application/problem+json' }

  it.each([
    ['/nowhere', 404, 'NOT_FOUND'],
    ['/api/search?nope=1', 400, 'INVALID_REQUEST'],
    ['/api/broken', 500, 'INTERNAL_SERVER_ERROR'],
  ])('carries the envelope inside where it is asked for: %s', async (target, status, code) => {
    const answer = await get(target, problem)
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json'])
    const { error, ...rest } = JSON.parse(answer.body) as { error: Record<string, unknown> }
    expect(rest).toMatchObject({ status, title: expect.any(String) as string })
    expect(Object.keys(error)).toEqual(['code', 'message', 'details'])
    expect(error['code']).toBe(code)
  })

  it('does not stand in the way of a success', async () => {
    const answer = await get('/api/notes/7', { Accept: 'application/problem+json, application/json' })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
  })

  it('is not sent to those who like JSON better', async () => {
    const answer = await get('/nowhere', { Accept: 'application/json, application/problem+json;q=0.5' })
    expectFailure(answer, 404, 'NOT_FOUND')
  })
})
