import { describe, expect, it } from 'vitest'
import { choose } from '../../chaos/mode.ts'
import { expectEnvelope } from './expect-envelope.ts'
import { ADA, ORIGIN } from './people.ts'
import { bodyOf, startAuth } from './subject.ts'
import { oneWay } from './ways.ts'

const TARGETS = [
  'https://evil',
  '//evil',
  '/\\evil',
  '/%5cevil',
  '/%5Cevil',
  '/%2fevil',
  '\t//evil',
  '\n//evil',
  '\r//evil',
  '/\t/evil',
  '/\n/evil',
  ' //evil',
  '\u00a0//evil',
  '\ufeff//evil',
  '\\\\evil',
  '///evil',
  '\uff0f\uff0fevil',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'blob:http://app.test/x',
  'http:evil',
  'http:/evil',
  'http:\\\\evil',
  'http:///evil',
  'HTTPS://EVIL',
  `${ORIGIN}@evil`,
  `${ORIGIN}:x@evil`,
  `${ORIGIN}.evil`,
  `${ORIGIN}\\@evil`,
  `${ORIGIN}%2eevil`,
  'https://app.test',
  'http://app.test:81',
  'http://user@app.test/',
  'http://evil/#http://app.test',
  'http://evil?http://app.test',
  '//app.test/home',
  'evil',
  '../evil',
  '?next=//evil',
  // A client that normalizes these paths leaves the app.
  '/.//evil',
  '/..//evil',
  '/a/..//evil',
  '/%2e//evil',
  '/%2E%2e//evil',
]
const NAMES = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL', 'CallbackUrl', 'redirectURL']
const ROUTES = [
  '/sign-in/email',
  '/sign-up/email',
  '/sign-in/social',
  '/request-password-reset',
  '/send-verification-email',
  '/sign-out',
]
const LINKS = ['/verify-email?token=x&', '/reset-password/x?', '/callback/github?state=x&', '/get-session?']

describe.each(oneWay)('redirects on $way', (way) => {
  const subject = startAuth(way)
  const body = { ...ADA, provider: 'github' }

  /** The first target in every parameter; the short form sends each other one in two of them, in turn. */
  const namesOf = (index: number): [at: number, name: string][] =>
    [...NAMES.entries()].filter(([at]) => index === 0 || (at + index) % choose(1, 3) === 0)

  it.each([...TARGETS.entries()])('are rejected in callback parameters: %i, %j', async (index, target) => {
    const before = subject.mails.length
    for (const [at, name] of namesOf(index)) {
      const query = `${name}=${encodeURIComponent(target)}`
      const [route = '', link = ''] = [ROUTES[at % ROUTES.length], LINKS[at % LINKS.length]]
      const responses = [
        subject.post(route, { ...body, [name]: target }),
        subject.post(`${route}?${query}`, body),
        subject.call(`GET /api/auth${link}${query}`),
        subject.post(route, { ...body, [name]: [target] }),
      ]
      for (const response of await Promise.all(responses)) {
        expect(response.status).toBe(403)
        expect(response.headers).not.toHaveProperty('location')
        expect(response.headers).not.toHaveProperty('set-cookie')
        expectEnvelope(response)
      }
    }
    expect(subject.mails).toHaveLength(before)
  })

  it('with two targets or a NUL are rejected', async () => {
    for (const query of [
      'callbackURL=%2Fhome&callbackURL=%2F%2Fevil',
      'callbackURL=%2F%2Fevil&callbackURL=%2Fhome',
      'callbackURL=%00%2F%2Fevil',
    ])
      for (const link of LINKS)
        expect([400, 403]).toContain((await subject.call(`GET /api/auth${link}${query}`)).status)
    const twice = '{"email":"ada@example.com","callbackURL":"/home","callbackURL":"//evil"}'
    expect((await subject.post('/sign-in/email', twice)).status).toBe(400)
    expect((await subject.post('/sign-in/email', { ...body, callbackURL: '\0//evil' })).status).toBe(400)
  })

  it('that are allowed stay on the origin of the app', async () => {
    const targets = [
      '/home',
      '/home?next=//evil',
      '/home#//evil',
      '/a//evil',
      '/a/../home',
      '/@evil',
      '/home:80',
      `${ORIGIN}/home`,
      '/%0d%0aset-cookie:x=y',
    ]
    for (const target of targets)
      for (const link of LINKS.slice(0, 2)) {
        const { status, headers } = await subject.call(`GET /api/auth${link}callbackURL=${encodeURIComponent(target)}`)
        expect([target, status]).toEqual([target, 302])
        expect(new URL(headers['location'] ?? '', ORIGIN).origin).toBe(ORIGIN)
        expect(headers).not.toHaveProperty('set-cookie')
        expect(headers['cache-control']).toBe('no-store')
      }
    const page = await subject.call(
      'GET /api/auth/error?error=%3Cscript%3E&error_description=%3Cscript%3Ealert(1)%3C/script%3E',
    )
    expect(page.body).not.toContain('<script>alert')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  })

  describe('with spoofed headers', () => {
    const SPOOFED: Record<string, string> = {
      Host: 'evil.test',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '444',
      'x-forwarded-prefix': '/evil',
      'x-forwarded-for': '203.0.113.9',
      'x-original-url': '/evil',
      'x-rewrite-url': '/evil',
      'x-real-ip': '203.0.113.9',
      'x-client-ip': '203.0.113.9',
      'x-sdk-address': '203.0.113.9',
      'cf-connecting-ip': '203.0.113.9',
      'true-client-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9;host=evil.test;proto=https',
    }

    it('do not change the links in mails', async () => {
      const spoofs = [SPOOFED, {}, ...Object.entries(SPOOFED).map(([name, value]) => ({ [name]: value }))]
      const requests = spoofs.flatMap((headers) =>
        ['/request-password-reset', '/send-verification-email'].map((route) =>
          subject.post(route, { email: ADA.email }, headers),
        ),
      )
      for (const { status } of await Promise.all(requests)) expect(status).toBe(200)
      await expect.poll(() => subject.mails.length).toBe(2 * spoofs.length)
      for (const { url, text } of subject.mails) {
        expect(url).toMatch(/^http:\/\/app\.test\/api\/auth\//)
        expect(text).not.toMatch(/evil/)
      }
    })

    it('do not change the IP address of a session', async () => {
      const signIn = await subject.post('/sign-in/email', ADA, SPOOFED)
      const cookie = signIn.headers['set-cookie']?.split(';')[0] ?? ''
      const { session } = bodyOf(await subject.call('GET /api/auth/get-session', { headers: { cookie } })) as {
        session: object
      }
      expect(session).toMatchObject({ ipAddress: '127.0.0.1' })
    })

    it('do not bypass rate limits, except for the address that a trusted proxy adds', async () => {
      const guess = (port: typeof subject.post, at: number, forwarded: string): Promise<number> =>
        port(
          '/sign-in/email',
          { ...ADA, email: `nobody${at}@example.com` },
          { ...SPOOFED, 'x-forwarded-for': forwarded, 'x-real-ip': forwarded },
        ).then(({ status }) => status)
      const times = async (work: (at: number) => Promise<number>): Promise<number[]> =>
        (await Promise.all(Array.from({ length: 12 }, (_, at) => work(at)))).toSorted((a, b) => a - b)
      const limited = [...Array<number>(10).fill(401), 429, 429]

      const alone = await subject.another({ throttle: {} })
      expect(await times((at) => guess(alone.post, at, `203.0.113.${at}`))).toEqual(limited)
      const behind = await subject.another({ throttle: {}, trustedProxies: ['127.0.0.1'] })
      expect(await times((at) => guess(behind.post, at, `203.0.113.${at}`))).toEqual(Array(12).fill(401))
      // An address that the client claims is left of the address that the proxy adds.
      expect(await times((at) => guess(behind.post, at, `198.51.100.${at}, 203.0.113.77`))).toEqual(limited)
    })
  })
})
