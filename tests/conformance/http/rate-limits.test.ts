import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { type RawResponse, send, post, request } from './wire.ts'

const get = (port: number, target: string, headers: Record<string, string> = {}): Promise<RawResponse> =>
  send(port, request(`GET ${target}`, { headers }))

describe('a quota of three', () => {
  const subject = startSubject({ rateLimit: { default: { quota: 3, window: 60 }, agent: false } })

  it('allows three requests and rejects the fourth with Retry-After', async () => {
    const responses = [
      await get(subject.port, '/api/notes/1'),
      await send(subject.port, request('HEAD /api/notes/1'), { toHead: true }),
      await get(subject.port, '/api/notes/1'),
      await get(subject.port, '/api/notes/1'),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(responses.map(({ headers }) => headers['ratelimit-policy'])).toEqual(Array(4).fill('"default";q=3;w=60'))
    expect(responses.map(({ headers }) => /^"default";r=(\d+);t=\d+$/.exec(headers['ratelimit'] ?? '')?.[1])).toEqual([
      '2',
      '1',
      '0',
      '0',
    ])
    const rejected = responses[3] as RawResponse
    const { details } = expectFailure(rejected, 429, 'TOO_MANY_REQUESTS')
    expect(details).toMatchObject([{ code: 'QUOTA_EXCEEDED', policy: 'default' }])
    const wait = rejected.headers['retry-after'] ?? ''
    expect(wait).toMatch(/^[1-9]\d*$/)
    expect(Number(wait)).toBeGreaterThanOrEqual(Number(/t=(\d+)/.exec(rejected.headers['ratelimit'] ?? '')?.[1]))
    expect(Number(wait)).toBeLessThanOrEqual(21)
  })

  it('does not count OPTIONS and unknown paths', async () => {
    for (let n = 0; n < 5; n++) {
      expect((await send(subject.port, request('OPTIONS /api/notes/1'))).status).toBe(204)
      expect((await get(subject.port, '/nowhere')).status).toBe(404)
    }
  })

  it('ignores the forwarded address of an untrusted client', async () => {
    const response = await get(subject.port, '/api/notes/1', {
      'X-Forwarded-For': '203.0.113.9',
      Forwarded: 'for=203.0.113.9',
    })
    expect(response.status).toBe(429)
  })
})

describe('after Retry-After', () => {
  const subject = startSubject({ rateLimit: { default: { quota: 1, window: 1 } } })

  it('the server accepts requests again', async () => {
    expect((await get(subject.port, '/api/notes/1')).status).toBe(200)
    const rejected = await get(subject.port, '/api/notes/1')
    expectFailure(rejected, 429, 'TOO_MANY_REQUESTS')
    await new Promise((resolve) => setTimeout(resolve, Number(rejected.headers['retry-after']) * 1000))
    expect((await get(subject.port, '/api/notes/1')).status).toBe(200)
  })
})

describe('agents', () => {
  const subject = startSubject({ rateLimit: { default: { quota: 3, window: 60 }, agent: { quota: 2, window: 60 } } })

  it('count toward the agent quota and the default quota', async () => {
    const call = (): Promise<RawResponse> => send(subject.port, post('/agent/echo', '{}'))
    const first = await call()
    expect(first.headers['ratelimit-policy']).toBe('"default";q=3;w=60, "agent";q=2;w=60')
    expect(first.headers['ratelimit']).toMatch(/^"default";r=2;t=\d+, "agent";r=1;t=\d+$/)
    expect((await call()).status).toBe(200)
    const rejected = await call()
    expect(expectFailure(rejected, 429, 'TOO_MANY_REQUESTS').details).toMatchObject([{ policy: 'agent' }])
  })
})

describe('sign-in attempts', () => {
  const subject = startSubject({ rateLimit: { auth: { quota: 2, window: 60 } } })

  it('are counted by IP address, regardless of the user', async () => {
    const statuses: number[] = []
    for (const user of ['ada', 'bob', 'eve']) {
      const headers = { Authorization: `bearer ${user}` }
      statuses.push((await send(subject.port, post('/api/auth/sign-in', '{}', headers))).status)
    }
    expect(statuses).toEqual([200, 200, 429])
  })
})

describe('with a trusted proxy', () => {
  const subject = startSubject({ rateLimit: { default: { quota: 1, window: 60 } }, trustedProxies: ['127.0.0.1'] })

  it.each([
    ['203.0.113.1', 200],
    ['203.0.113.2', 200],
    ['203.0.113.1', 429],
    ['198.51.100.7, 203.0.113.1', 429],
    ['203.0.113.1, 127.0.0.1', 429],
    ['2001:db8:1:1::1', 200],
    ['2001:db8:1:1:ffff::2', 429],
    ['2001:db8:1:2::1', 200],
    ['::ffff:203.0.113.1', 429],
  ])('the forwarded address or IPv6 network is the client: %s', async (address, status) => {
    expect((await get(subject.port, '/api/notes/1', { 'X-Forwarded-For': address })).status).toBe(status)
  })

  it.each(['', 'nonsense', ', ,', '999.1.1.1', '%', '203.0.113.1:4711', '[2001:db8::1]:80', 'x'.repeat(4000)])(
    'an invalid address causes no server error: %j',
    async (address) => {
      expect((await get(subject.port, '/api/notes/1', { 'X-Forwarded-For': address })).status).toBeLessThan(500)
    },
  )
})

describe('rateLimit: false', () => {
  const subject = startSubject({ rateLimit: false })

  it('sends no rate limit headers', async () => {
    const { headers } = await get(subject.port, '/api/notes/1')
    expect([headers['ratelimit'], headers['ratelimit-policy']]).toEqual([undefined, undefined])
  })
})
