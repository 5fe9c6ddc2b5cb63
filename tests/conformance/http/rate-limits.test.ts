import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { type Answer, ask, post, request } from './wire.ts'

const get = (port: number, target: string, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(port, request(`GET ${target}`, { headers }))

describe('a quota of three', () => {
  const subject = startSubject({ rateLimit: { default: { quota: 3, window: 60 }, agent: false } })

  it('lets three requests pass and refuses the fourth, saying when to come back', async () => {
    const answers = [
      await get(subject.port, '/api/notes/1'),
      await ask(subject.port, request('HEAD /api/notes/1'), { toHead: true }),
      await get(subject.port, '/api/notes/1'),
      await get(subject.port, '/api/notes/1'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(answers.map(({ headers }) => headers['ratelimit-policy'])).toEqual(Array(4).fill('"default";q=3;w=60'))
    expect(answers.map(({ headers }) => /^"default";r=(\d+);t=\d+$/.exec(headers['ratelimit'] ?? '')?.[1])).toEqual([
      '2',
      '1',
      '0',
      '0',
    ])
    const refused = answers[3] as Answer
    const { details } = expectFailure(refused, 429, 'TOO_MANY_REQUESTS')
    expect(details).toMatchObject([{ code: 'QUOTA_EXCEEDED', policy: 'default' }])
    const wait = refused.headers['retry-after'] ?? ''
    expect(wait).toMatch(/^[1-9]\d*$/)
    expect(Number(wait)).toBeGreaterThanOrEqual(Number(/t=(\d+)/.exec(refused.headers['ratelimit'] ?? '')?.[1]))
    expect(Number(wait)).toBeLessThanOrEqual(21)
  })

  it('costs nothing for OPTIONS and for what is nowhere', async () => {
    for (let n = 0; n < 5; n++) {
      expect((await ask(subject.port, request('OPTIONS /api/notes/1'))).status).toBe(204)
      expect((await get(subject.port, '/nowhere')).status).toBe(404)
    }
  })

  it('does not believe what a caller says of its address', async () => {
    const answer = await get(subject.port, '/api/notes/1', {
      'X-Forwarded-For': '203.0.113.9',
      Forwarded: 'for=203.0.113.9',
    })
    expect(answer.status).toBe(429)
  })
})

describe('after the time it named', () => {
  const subject = startSubject({ rateLimit: { default: { quota: 1, window: 1 } } })

  it('the server lets the caller in again', async () => {
    expect((await get(subject.port, '/api/notes/1')).status).toBe(200)
    const refused = await get(subject.port, '/api/notes/1')
    expectFailure(refused, 429, 'TOO_MANY_REQUESTS')
    await new Promise((resolve) => setTimeout(resolve, Number(refused.headers['retry-after']) * 1000))
    expect((await get(subject.port, '/api/notes/1')).status).toBe(200)
  })
})

describe('agents', () => {
  const subject = startSubject({ rateLimit: { default: { quota: 3, window: 60 }, agent: { quota: 2, window: 60 } } })

  it('count in a quota of their own and in the one of all', async () => {
    const call = (): Promise<Answer> => ask(subject.port, post('/agent/echo', '{}'))
    const first = await call()
    expect(first.headers['ratelimit-policy']).toBe('"default";q=3;w=60, "agent";q=2;w=60')
    expect(first.headers['ratelimit']).toMatch(/^"default";r=2;t=\d+, "agent";r=1;t=\d+$/)
    expect((await call()).status).toBe(200)
    const refused = await call()
    expect(expectFailure(refused, 429, 'TOO_MANY_REQUESTS').details).toMatchObject([{ policy: 'agent' }])
  })
})

describe('attempts to sign in', () => {
  const subject = startSubject({ rateLimit: { auth: { quota: 2, window: 60 } } })

  it('are counted by address, whoever one claims to be', async () => {
    const statuses: number[] = []
    for (const user of ['ada', 'bob', 'eve']) {
      const headers = { Authorization: `bearer ${user}` }
      statuses.push((await ask(subject.port, post('/api/auth/sign-in', '{}', headers))).status)
    }
    expect(statuses).toEqual([200, 200, 429])
  })
})

describe('behind a proxy that is trusted', () => {
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
  ])('the caller is who the proxy says, an IPv6 network is one caller: %s', async (address, status) => {
    expect((await get(subject.port, '/api/notes/1', { 'X-Forwarded-For': address })).status).toBe(status)
  })

  it.each(['', 'nonsense', ', ,', '999.1.1.1', '%', '203.0.113.1:4711', '[2001:db8::1]:80', 'x'.repeat(4000)])(
    'survives an address that is none: %j',
    async (address) => {
      expect((await get(subject.port, '/api/notes/1', { 'X-Forwarded-For': address })).status).toBeLessThan(500)
    },
  )
})

describe('switched off', () => {
  const subject = startSubject({ rateLimit: false })

  it('limits are not spoken of', async () => {
    const { headers } = await get(subject.port, '/api/notes/1')
    expect([headers['ratelimit'], headers['ratelimit-policy']]).toEqual([undefined, undefined])
  })
})
