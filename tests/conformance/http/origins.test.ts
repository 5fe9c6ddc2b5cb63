import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { ask, post, request } from './wire.ts'

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

describe('with a list of other origins', () => {
  const subject = startSubject({ cors: [FRIEND], rateLimit: { default: { quota: 1000, window: 60 } } })
  const preflight = (origin: string, path = '/api/guarded/notes') =>
    ask(
      subject.port,
      request(`OPTIONS ${path}`, { headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' } }),
    )

  it('its pages may read every answer, failures too', async () => {
    for (const path of ['/api/notes/7', '/nowhere', '/api/broken', '/api/guarded/notes']) {
      const { headers } = await ask(subject.port, request(`GET ${path}`, { headers: { Origin: FRIEND } }))
      expect(headers['access-control-allow-origin']).toBe(FRIEND)
      expect(headers['access-control-allow-credentials']).toBe('true')
      expect(headers['cross-origin-resource-policy']).toBe('cross-origin')
      expect(wordsOf(headers['vary'])).toContain('origin')
      expect(wordsOf(headers['access-control-expose-headers'])).toEqual([
        'deprecation',
        'etag',
        'link',
        'location',
        'ratelimit',
        'ratelimit-policy',
        'retry-after',
        'sunset',
        'x-request-id',
      ])
    }
  })

  it('its pages are told what they may send, before anybody signs in', async () => {
    const answer = await preflight(FRIEND)
    expect([answer.status, answer.body]).toEqual([204, ''])
    expect(answer.headers['access-control-allow-origin']).toBe(FRIEND)
    expect(answer.headers['access-control-allow-credentials']).toBe('true')
    expect(wordsOf(answer.headers['access-control-allow-methods'])).toEqual([
      'delete',
      'get',
      'head',
      'patch',
      'post',
      'put',
    ])
    expect(wordsOf(answer.headers['access-control-allow-headers'])).toEqual([
      'authorization',
      'content-type',
      'idempotency-key',
      'if-match',
      'if-none-match',
      'traceparent',
      'tracestate',
      'x-request-id',
    ])
    expect(answer.headers['access-control-max-age']).toBe('600')
    expect(answer.headers).not.toHaveProperty('ratelimit')
    expectGuarded(answer)
  })

  it.each(FOREIGN)('pages of another one are told nothing: %s', async (origin) => {
    const read = await ask(subject.port, request('GET /api/notes/7', { headers: { Origin: origin } }))
    expect([read.status, corsOf(read.headers)]).toEqual([200, []])
    expect(wordsOf(read.headers['vary'])).toContain('origin')
    const asked = await preflight(origin)
    expect([asked.status, corsOf(asked.headers)]).toEqual([204, []])
  })

  it('a preflight of nothing is 404', async () => {
    expectFailure(await preflight(FRIEND, '/nowhere'), 404, 'NOT_FOUND')
  })
})

describe('a cookie', () => {
  const subject = startSubject({ cors: [FRIEND] })

  it.each([
    ['no page', {}, 200],
    ['its own page', { Origin: 'http://localhost', 'Sec-Fetch-Site': 'same-origin' }, 200],
    ['a page of the list', { Origin: FRIEND, 'Sec-Fetch-Site': 'cross-site' }, 200],
    ['a cross-site page without Origin', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a page without origin', { Origin: 'null' }, 403],
    ...FOREIGN.map((origin): [string, Record<string, string>, number] => [origin, { Origin: origin }, 403]),
  ])('acts for its user on behalf of %s, or not', async (_who, headers, status) => {
    for (const path of ['/api/guarded/notes', '/agent/echo']) {
      const answer = await ask(subject.port, post(path, '{}', { Authorization: 'cookie ada', ...headers }))
      expect(answer.status).toBe(status)
      if (status === 403) expectFailure(answer, 403, 'FORBIDDEN')
    }
  })

  it.each(FOREIGN)('may be used to read, since %s cannot see the answer', async (origin) => {
    const read = await ask(
      subject.port,
      request('GET /api/guarded/notes', { headers: { Authorization: 'cookie ada', Origin: origin } }),
    )
    expect([read.status, corsOf(read.headers)]).toEqual([200, []])
  })

  it('is not needed by those who carry a token', async () => {
    const answer = await ask(
      subject.port,
      post('/api/guarded/notes', '{}', { Authorization: 'bearer ada', Origin: 'https://evil.example' }),
    )
    expect(answer.status).toBe(200)
  })
})
