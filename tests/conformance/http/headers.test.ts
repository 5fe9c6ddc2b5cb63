import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { type RawResponse, send, post, request } from './wire.ts'

const subject = startSubject()
const get = (target: string, headers: Record<string, string> = {}): Promise<RawResponse> =>
  send(subject.port, request(`GET ${target}`, { headers }))
const NOTE = '{"title":"Tea"}'

describe('Content-Type', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'Application/JSON',
    'APPLICATION/JSON; CHARSET=UTF-8',
  ])('%s is accepted as JSON', async (type) => {
    expect((await send(subject.port, post('/api/notes', NOTE, { 'Content-Type': type }))).status).toBe(200)
  })

  it.each([
    'text/plain',
    'text/json',
    'application/jsonx',
    'application/json-seq',
    'application/ld+json',
    'application/merge-patch+json',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
    'application/json, text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'json',
    ';',
    '',
  ])('%j is rejected for POST', async (type) => {
    for (const path of ['/api/notes', '/agent/echo', '/agent/shout']) {
      const response = await send(subject.port, post(path, NOTE, { 'Content-Type': type }))
      expectFailure(response, 415, 'UNSUPPORTED_MEDIA_TYPE')
      expect(response.headers['accept']).toContain('application/json')
    }
  })

  it('is required if there is a body', async () => {
    for (const path of ['/api/notes', '/agent/echo']) {
      const response = await send(subject.port, request(`POST ${path}`, { body: NOTE }))
      expectFailure(response, 415, 'UNSUPPORTED_MEDIA_TYPE')
    }
  })

  it('can be merge-patch for PATCH', async () => {
    const headers = { 'Content-Type': 'application/merge-patch+json' }
    const response = await send(subject.port, request('PATCH /api/notes/7', { body: NOTE, headers }))
    expect([response.status, response.body]).toEqual([200, NOTE])
  })

  it('is rejected if it is sent twice', async () => {
    const twice = `POST /api/notes HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: ${NOTE.length}\r\n\r\n${NOTE}`
    const response = await send(subject.port, twice)
    expectFailure(
      response,
      response.status === 400 ? 400 : 415,
      response.status === 400 ? 'INVALID_REQUEST' : 'UNSUPPORTED_MEDIA_TYPE',
    )
  })

  it('is not checked if a route has no schema', async () => {
    const response = await send(
      subject.port,
      request('POST /api/upload', { body: 'plain', headers: { 'Content-Type': 'text/plain' } }),
    )
    expect([response.status, response.body]).toEqual([200, '{"text":"plain"}'])
  })
})

describe('Content-Encoding', () => {
  it.each(['gzip', 'br', 'deflate', 'identity, gzip', 'x'])('%s is rejected', async (encoding) => {
    const response = await send(subject.port, post('/api/notes', NOTE, { 'Content-Encoding': encoding }))
    expectFailure(response, 415, 'UNSUPPORTED_MEDIA_TYPE')
    expect(response.headers['accept-encoding']).toBe('identity')
  })

  it.each(['identity', 'Identity'])('%s is accepted', async (encoding) => {
    expect((await send(subject.port, post('/api/notes', NOTE, { 'Content-Encoding': encoding }))).status).toBe(200)
  })
})

describe('Accept', () => {
  const accepted = [
    '*/*',
    'application/*',
    'application/json',
    'APPLICATION/JSON',
    'text/html, */*;q=0.1',
    'text/html,application/json;q=0.9',
    'application/json;charset=utf-8',
    'application/json;q=0.001',
    'application/problem+json, application/json',
  ]
  const rejected = [
    'text/html',
    'image/*',
    'text/*',
    'application/xml',
    'application/jsonx',
    'application/json;q=0',
    '*/*;q=0',
    'application/json;q=0, */*',
    'text/html, application/json;q=0.0',
  ]

  it.each(accepted)('%j allows JSON', async (accept) => {
    expect((await get('/api/notes/7', { Accept: accept })).status).toBe(200)
    expect((await send(subject.port, post('/agent/echo', '{}', { Accept: accept }))).status).toBe(200)
  })

  it.each(rejected)('%j is rejected with 406', async (accept) => {
    expectFailure(await get('/api/notes/7', { Accept: accept }), 406, 'NOT_ACCEPTABLE')
    expectFailure(await send(subject.port, post('/agent/echo', '{}', { Accept: accept })), 406, 'NOT_ACCEPTABLE')
  })

  it('does not hide an earlier error', async () => {
    expectFailure(await get('/nowhere', { Accept: 'text/html' }), 404, 'NOT_FOUND')
  })

  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream, */*', 'text/event-stream'],
    ['application/x-ndjson', 'application/x-ndjson'],
    ['*/*', 'application/x-ndjson'],
  ])('%s selects the format of a stream', async (accept, type) => {
    const response = await send(subject.port, post('/agent/count', '2', { Accept: accept }))
    expect([response.status, response.headers['content-type']]).toEqual([200, type])
  })
})

describe('Host', () => {
  it.each(['a', 'a.example:8080', '127.0.0.1', '[::1]:3000', 'xn--bcher-kva.example', 'a_b'])(
    'can be %s',
    async (host) => {
      const headers = { Host: host, 'Content-Type': 'text/plain' }
      expect((await send(subject.port, request('POST /api/upload', { body: 'x', headers }))).status).toBe(200)
    },
  )

  it.each(['a b', 'a:99999', 'a:b', '[::1', '::', ', ,', '?', 'a/b', 'a#b', 'user@a', 'b\u00FCcher.example', 'a, b'])(
    'is rejected if it is not a valid host: %j',
    async (host) => {
      for (const line of ['GET /api/notes/7', 'POST /api/upload']) {
        const response = await send(subject.port, request(line, { headers: { Host: host } }))
        expectFailure(response, 400, 'INVALID_REQUEST')
      }
    },
  )
})

describe('X-Request-Id', () => {
  it.each(['12345678', 'a.b_c~d-E9', 'x'.repeat(128)])('%s is returned', async (id) => {
    for (const path of ['/api/notes/7', '/nowhere', '/api/broken']) {
      expect((await get(path, { 'X-Request-Id': id })).headers['x-request-id']).toBe(id)
    }
  })

  it.each([
    '1234567',
    'x'.repeat(129),
    'has space',
    'semi;colon',
    '{"json":1}',
    '12345678, 12345678',
    'ümlautümlaut',
    '',
  ])('%j is replaced', async (id) => {
    const response = await get('/api/notes/7', { 'X-Request-Id': id })
    expect(response.headers['x-request-id']).not.toBe(id)
    expectGuarded(response)
  })

  it('is unique for every response', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await get('/nowhere')).headers['x-request-id']),
    )
    expect(new Set(ids).size).toBe(20)
  })
})

describe('every response', () => {
  it.each([
    ['GET /api/notes/7', 'private, no-cache', 'Accept, Authorization, Cookie'],
    ['HEAD /api/notes/7', 'private, no-cache', 'Accept, Authorization, Cookie'],
    ['GET /nowhere', 'no-store', 'Accept, Authorization, Cookie'],
    ['GET /api/broken', 'no-store', 'Accept, Authorization, Cookie'],
    ['DELETE /api/notes/7', 'no-store', undefined],
    ['OPTIONS /api/notes/7', 'no-store', undefined],
    ['POST /agent/nobody', 'no-store', undefined],
  ])('has Cache-Control and Vary: %s', async (line, cacheControl, vary) => {
    const response = await send(subject.port, request(line), { toHead: line.startsWith('HEAD ') })
    expect([response.headers['cache-control'], response.headers['vary']]).toEqual([cacheControl, vary])
    expectGuarded(response)
  })

  it('has the default headers, also for a stream', async () => {
    const response = await send(subject.port, post('/agent/count', '3'))
    expectGuarded(response)
    expect(response.headers['cache-control']).toBe('no-store')
  })

  it('has no CORS headers without a list of origins', async () => {
    const response = await get('/api/notes/7', { Origin: 'https://app.example.com' })
    expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    expect(response.headers['cross-origin-resource-policy']).toBe('same-origin')
  })
})
