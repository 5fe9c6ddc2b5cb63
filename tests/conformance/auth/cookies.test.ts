import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { ADA, GRACE, ORIGIN, SECRET } from './people.ts'
import { bodyOf, cookieOf, type Session, startAuth } from './subject.ts'
import { oneWay } from './ways.ts'

const NAME = 'sdk.session_token'
const sign = (value: string, secret = SECRET): string =>
  encodeURIComponent(`${value}.${createHmac('sha256', secret).update(value).digest('base64')}`)
const attributesOf = (line: string | undefined): string[] =>
  (line ?? '')
    .split('; ')
    .slice(1)
    .map((one) => one.toLowerCase())
    .filter((one) => !one.startsWith('max-age'))
    .toSorted()

describe.each(oneWay)('session cookies on $way', (way) => {
  const subject = startAuth(way)
  let ada: Session
  let grace: Session
  beforeAll(async () => {
    ;[ada, grace] = await Promise.all([subject.signIn(ADA), subject.signIn(GRACE)])
  })

  it('are HttpOnly, SameSite=Lax and Path=/, without a Domain', async () => {
    const signIn = await subject.post('/sign-in/email', ADA)
    const signOut = await subject.post('/sign-out', {}, { cookie: cookieOf(signIn) })
    for (const { headers } of [signIn, signOut]) {
      expect(headers['set-cookie']).toMatch(/^sdk\.session_token=/)
      expect(attributesOf(headers['set-cookie']?.split(', ')[0])).toEqual(['httponly', 'path=/', 'samesite=lax'])
    }
    expect(signOut.headers['set-cookie']).toMatch(/^sdk\.session_token=; Max-Age=0/)
  })

  it('are Secure with a name prefix over https', async () => {
    const secure = await subject.another({ baseURL: 'https://app.test' })
    const signIn = await secure.post('/sign-in/email', ADA, { origin: 'https://app.test' })
    const cookie = cookieOf(signIn)
    expect(cookie).toMatch(/^__(?:Secure|Host)-sdk\.session_token=/)
    expect(attributesOf(signIn.headers['set-cookie'])).toEqual(['httponly', 'path=/', 'samesite=lax', 'secure'])
    expect((await secure.call('GET /api/me', { headers: { cookie } })).status).toBe(200)
    // A cookie that was set without https is not valid with https, and vice versa.
    expect((await secure.call('GET /api/me', { headers: { cookie: ada.cookie } })).status).toBe(401)
    expect((await subject.call('GET /api/me', { headers: { cookie } })).status).toBe(401)
  })

  const value = (): string => ada.cookie.slice(ada.cookie.indexOf('=') + 1)
  const unsigned = (): string => decodeURIComponent(value()).split('.')[0] ?? ''
  const FORGED: Record<string, () => string> = {
    'a chosen value': () => `${NAME}=chosen-by-somebody`,
    'a chosen value, signed with another secret': () =>
      `${NAME}=${sign(unsigned(), 'the secret of somebody else, long enough')}`,
    'a signed token without a session': () => `${NAME}=${sign('x'.repeat(32))}`,
    'a signed text that is not a token': () => `${NAME}=${sign("' or true --")}`,
    // The library signs this value itself, for a session that is not remembered.
    'the value of another cookie': () => `${NAME}=${sign('true')}`,
    'a tampered token': () => `${NAME}=${value().startsWith('a') ? 'b' : 'a'}${value().slice(1)}`,
    'a tampered signature': () => `${NAME}=${value().slice(0, -8)}AAAAA%3D`,
    'the signature of another user': () => `${NAME}=${unsigned()}.${grace.cookie.split('.').at(-1)}`,
    'a token without a signature': () => `${NAME}=${unsigned()}`,
    'a token with an empty signature': () => `${NAME}=${unsigned()}.`,
    'only a signature': () => `${NAME}=.${value().split('.').at(-1)}`,
    'an empty value': () => `${NAME}=`,
    'no value': () => NAME,
    'an invalid escape': () => `${NAME}=%E0%A4%A`,
    '8 kB': () => `${NAME}=${'x'.repeat(8_192)}`,
    '8 kB of dots': () => `${NAME}=${'.'.repeat(8_192)}`,
    '8 kB of escapes': () => `${NAME}=${'%00'.repeat(2_700)}`,
    '8 kB of other cookies': () => `${'a=b;'.repeat(2_000)}${NAME}=x`,
    'invalid UTF-8': () => `${NAME}=\u00ff\u00fe.\u00e9`,
    'an upper-case name': () => ada.cookie.toUpperCase(),
    'the name for https': () => `__Secure-${ada.cookie}`,
    'the access token': () => `${NAME}=${ada.token}`,
    'a valid cookie after an invalid one': () => `${NAME}=bad; ${ada.cookie}`,
    'a valid cookie before an invalid one': () => `${ada.cookie}; ${NAME}=bad`,
    'two valid cookies': () => `${ada.cookie}; ${grace.cookie}`,
    'a valid cookie and an empty one': () => `${ada.cookie}; ${NAME}=`,
  }

  it.each(Object.entries(FORGED))('are rejected with 401: %s', async (_name, forge) => {
    const headers = { cookie: forge() }
    const before = subject.reached
    expectFailure(await subject.call('GET /api/me', { headers }), 401, 'UNAUTHORIZED')
    expectFailure(await subject.call('GET /api/v1/notes', { headers }), 401, 'UNAUTHORIZED')
    expect(subject.reached).toBe(before)
    expect((await subject.post('/access-token', {}, headers)).status).toBe(401)
    expect((await subject.call('GET /api/auth/list-sessions', { headers })).status).toBe(401)
    expect((await subject.call('GET /api/auth/get-session', { headers })).body).toBe('null')
    // Agents and sockets are public here, and see no user.
    expect(bodyOf(await subject.call('POST /agent/whoami', { headers, body: {} }))).toEqual({ via: null, name: null })
    const socket = await subject.connect(headers)
    expect(await socket.whoami()).toBeNull()
    socket.close()
  })

  it('that were set before a sign-in are not valid after it (session fixation)', async () => {
    const planted = [`${NAME}=chosen-by-somebody`, `${NAME}=${sign('x'.repeat(32))}`, grace.cookie]
    for (const cookie of planted) {
      const issued = cookieOf(await subject.post('/sign-in/email', ADA, { cookie, origin: ORIGIN }))
      expect(issued).not.toBe(cookie)
      const before = await subject.call('GET /api/me', { headers: { cookie } })
      expect(before.body).not.toContain('Ada')
      expect(bodyOf(await subject.call('GET /api/me', { headers: { cookie: issued } }))).toMatchObject({ name: 'Ada' })
    }
    const [one, two] = [await subject.post('/sign-in/email', ADA), await subject.post('/sign-in/email', ADA)]
    expect(cookieOf(one)).not.toBe(cookieOf(two))
  })

  it('are found among other cookies and in quotes', async () => {
    for (const cookie of [`a=b; ${ada.cookie}; c`, `${NAME}="${value()}"`, `x${NAME}=bad; ${ada.cookie}`])
      expect((await subject.call('GET /api/me', { headers: { cookie } })).status).toBe(200)
  })
})
