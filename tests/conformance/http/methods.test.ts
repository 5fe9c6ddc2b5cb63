import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { send, request, sendAll } from './wire.ts'

const subject = startSubject()
const listOf = (allow: string | undefined): string[] => (allow ?? '').split(', ')

describe('a method', () => {
  it.each([
    ['DELETE /api/notes', ['POST']],
    ['GET /api/notes', ['POST']],
    ['HEAD /api/notes', ['POST']],
    ['POST /api/notes/7', ['GET', 'HEAD', 'DELETE', 'PATCH']],
    ['TRACE /api/notes/7', ['GET', 'HEAD', 'DELETE', 'PATCH']],
    ['PROPFIND /api/notes/7', ['GET', 'HEAD', 'DELETE', 'PATCH']],
    ['PUT /agent/echo', ['POST']],
    ['DELETE /agent/count', ['POST']],
  ])('that a path does not support returns 405 with Allow: %s', async (line, methods) => {
    const toHead = line.startsWith('HEAD ')
    const response = await send(subject.port, request(line), { toHead })
    expect(response.status).toBe(405)
    expect(listOf(response.headers['allow'])).toEqual(expect.arrayContaining(methods))
    expect(listOf(response.headers['allow'])).not.toContain(line.split(' ')[0])
    if (toHead) expectGuarded(response)
    else expectFailure(response, 405, 'METHOD_NOT_ALLOWED')
  })

  it.each(['get', 'Get', 'BREW', 'G\u00CBT', 'GETGETGETGETGETGETGETGETGETGET'])(
    'that is unknown is rejected: %s',
    async (method) => {
      const response = await send(subject.port, request(`${method} /api/notes/7`))
      const code = { 400: 'INVALID_REQUEST', 405: 'METHOD_NOT_ALLOWED', 501: 'NOT_IMPLEMENTED' }[response.status]
      expectFailure(response, response.status, code ?? 'a refusal')
    },
  )

  it('CONNECT returns an error response', async () => {
    const response = await send(subject.port, request('CONNECT example.com:443'))
    const code = { 400: 'INVALID_REQUEST', 404: 'NOT_FOUND', 405: 'METHOD_NOT_ALLOWED', 501: 'NOT_IMPLEMENTED' }[
      response.status
    ]
    expectFailure(response, response.status, code ?? 'a refusal')
  })
})

describe('HEAD', () => {
  it.each(['/api/notes/7?a=1', '/api/search?q=tea', '/api/nothing', '/api/broken', '/api/notes/%zz', '/nowhere'])(
    'returns the status and headers of GET without content: %s',
    async (target) => {
      const given = { headers: { 'X-Request-Id': 'one-and-the-same' } }
      const [got, head] = [
        await send(subject.port, request(`GET ${target}`, given)),
        await send(subject.port, request(`HEAD ${target}`, given), { toHead: true }),
      ]
      const { date: _one, ...headers } = got.headers
      const { date: _two, ...again } = head.headers
      expect([head.status, again]).toEqual([got.status, headers])
    },
  )
})

describe('OPTIONS', () => {
  it.each([
    ['/api/notes', ['POST', 'OPTIONS']],
    ['/api/notes/7', ['GET', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS']],
    ['/agent/echo', ['POST', 'OPTIONS']],
  ])('returns the methods of a path: %s', async (path, methods) => {
    const response = await send(subject.port, request(`OPTIONS ${path}`))
    expect([response.status, response.body]).toEqual([204, ''])
    expect(listOf(response.headers['allow'])).toEqual(expect.arrayContaining(methods))
    expect(response.headers).not.toHaveProperty('content-length')
    expectGuarded(response)
  })

  it('returns 404 for an unknown path', async () => {
    expectFailure(await send(subject.port, request('OPTIONS /nowhere')), 404, 'NOT_FOUND')
  })
})

describe('unexpected content', () => {
  it.each([
    ['GET /api/notes/7', 200],
    ['DELETE /api/notes/7', 200],
    ['OPTIONS /api/notes/7', 204],
  ])('is ignored for %s, and the connection stays open', async (line, status) => {
    const first = request(line, { body: '{"broken', headers: { 'Content-Type': 'text/plain' }, keepAlive: true })
    const responses = await sendAll(subject.port, Buffer.concat([first, request('GET /api/notes/8')]))
    expect(responses.map((response) => response.status)).toEqual([status, 200])
    expect(JSON.parse(responses[1]?.body ?? '')).toMatchObject({ id: '8' })
  })

  it('is ignored for HEAD, and the connection stays open', async () => {
    const first = request('HEAD /api/notes/7', { body: 'x'.repeat(100_000), keepAlive: true })
    const heads = await sendAll(subject.port, Buffer.concat([first, request('HEAD /api/notes/8')]), { toHead: true })
    expect(heads.map((head) => head.status)).toEqual([200, 200])
  })

  it('can exceed the body limit', async () => {
    const response = await send(subject.port, request('GET /api/notes/7', { body: 'x'.repeat(1_100_000) }))
    expect(response.status).toBe(200)
  })
})

describe('a handler that returns nothing', () => {
  it('responds with 200 and null', async () => {
    const response = await send(subject.port, request('GET /api/nothing'))
    expect([response.status, response.headers['content-type'], response.body]).toEqual([
      200,
      'application/json',
      'null',
    ])
  })
})
