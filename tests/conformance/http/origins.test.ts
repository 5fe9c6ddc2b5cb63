import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { send, post, request } from './wire.ts'

const FRIEND = 'https://app.example.com'
const FOREIGN = [
  'https://evil.example',
  'https://app.example.com.evil.example',
  'https://APP.example.com',
  'http://app.example.com',
  'https://app.example.com:8443',
  'null',
]
const corsOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))
const wordsOf = (list: string | undefined): string[] => (list ?? '').toLowerCase().split(', ').toSorted()

describe('CORS', () => {
  const subject = startSubject({ cors: [FRIEND], rateLimit: { default: { quota: 1000, window: 60 } } })
  const preflight = (origin: string, path = '/api/guarded/notes') =>
    send(
      subject.port,
      request(`OPTIONS ${path}`, { headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' } }),
    )

  it('allows listed origins to read every response, including errors', async () => {
    for (const path of ['/api/notes/7', '/nowhere', '/api/broken', '/api/guarded/notes']) {
      const { headers } = await send(subject.port, request(`GET ${path}`, { headers: { Origin: FRIEND } }))
      expect(headers['access-control-allow-origin']).toBe(FRIEND)
      expect(headers['access-control-allow-credentials']).toBe('true')
      expect(headers['cross-origin-resource-policy']).toBe('cross-origin')
      expect(wordsOf(headers['vary'])).toContain('origin')
      expect(wordsOf(headers['access-control-expose-headers'])).toEqual([
        'deprecation',
        'etag',
        'link',
        'location',
        'mcp-session-id',
        'ratelimit',
        'ratelimit-policy',
        'retry-after',
        'run-id',
        'run-position',
        'sunset',
        'www-authenticate',
        'x-request-id',
      ])
    }
  })

  it('responds to preflights of listed origins without authentication', async () => {
    const response = await preflight(FRIEND)
    expect([response.status, response.body]).toEqual([204, ''])
    expect(response.headers['access-control-allow-origin']).toBe(FRIEND)
    expect(response.headers['access-control-allow-credentials']).toBe('true')
    expect(wordsOf(response.headers['access-control-allow-methods'])).toEqual([
      'delete',
      'get',
      'head',
      'patch',
      'post',
      'put',
    ])
    expect(wordsOf(response.headers['access-control-allow-headers'])).toEqual([
      'authorization',
      'content-type',
      'idempotency-key',
      'if-match',
      'if-none-match',
      'last-event-id',
      'mcp-method',
      'mcp-name',
      'mcp-protocol-version',
      'mcp-session-id',
      'prefer',
      'run-thread',
      'traceparent',
      'tracestate',
      'x-request-id',
    ])
    expect(response.headers['access-control-max-age']).toBe('600')
    expect(response.headers).not.toHaveProperty('ratelimit')
    expectGuarded(response)
  })

  it.each(FOREIGN)('sends no headers to other origins: %s', async (origin) => {
    const read = await send(subject.port, request('GET /api/notes/7', { headers: { Origin: origin } }))
    expect([read.status, corsOf(read.headers)]).toEqual([200, []])
    expect(wordsOf(read.headers['vary'])).toContain('origin')
    const options = await preflight(origin)
    expect([options.status, corsOf(options.headers)]).toEqual([204, []])
  })

  it('returns 404 for a preflight of an unknown path', async () => {
    expectFailure(await preflight(FRIEND, '/nowhere'), 404, 'NOT_FOUND')
  })
})

describe('cookie authentication', () => {
  const subject = startSubject({ cors: [FRIEND] })

  it.each([
    ['a client without Origin', {}, 200],
    ['a page of the same origin', { Origin: 'http://localhost', 'Sec-Fetch-Site': 'same-origin' }, 200],
    ['a page of a listed origin', { Origin: FRIEND, 'Sec-Fetch-Site': 'cross-site' }, 200],
    ['a cross-site page without Origin', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a page with the origin null', { Origin: 'null' }, 403],
    ...FOREIGN.map((origin): [string, Record<string, string>, number] => [origin, { Origin: origin }, 403]),
  ])('accepts a POST from %s only if its origin is allowed', async (_client, headers, status) => {
    for (const path of ['/api/guarded/notes', '/agent/echo']) {
      const response = await send(subject.port, post(path, '{}', { Authorization: 'cookie ada', ...headers }))
      expect(response.status).toBe(status)
      if (status === 403) expectFailure(response, 403, 'FORBIDDEN')
    }
  })

  it.each(FOREIGN)('allows reads from %s without CORS headers', async (origin) => {
    const read = await send(
      subject.port,
      request('GET /api/guarded/notes', { headers: { Authorization: 'cookie ada', Origin: origin } }),
    )
    expect([read.status, corsOf(read.headers)]).toEqual([200, []])
  })

  it('is not required with a token from another origin', async () => {
    const response = await send(
      subject.port,
      post('/api/guarded/notes', '{}', { Authorization: 'bearer ada', Origin: 'https://evil.example' }),
    )
    expect(response.status).toBe(200)
  })
})
