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

describe.each(oneWay)('cookies on $way', (way) => {
  const subject = startAuth(way)
  let ada: Session
  let grace: Session
  beforeAll(async () => {
    ;[ada, grace] = await Promise.all([subject.signIn(ADA), subject.signIn(GRACE)])
  })

  it('are HttpOnly, SameSite=Lax, Path=/, and of this host alone', async () => {
    const signIn = await subject.post('/sign-in/email', ADA)
    const signOut = await subject.post('/sign-out', {}, { cookie: cookieOf(signIn) })
    for (const { headers } of [signIn, signOut]) {
      expect(headers['set-cookie']).toMatch(/^sdk\.session_token=/)
      expect(attributesOf(headers['set-cookie']?.split(', ')[0])).toEqual(['httponly', 'path=/', 'samesite=lax'])
    }
    expect(signOut.headers['set-cookie']).toMatch(/^sdk\.session_token=; Max-Age=0/)
  })

  it('are Secure over https, under a name that browsers guard', async () => {
    const secure = await subject.another({ baseURL: 'https://app.test' })
    const signIn = await secure.post('/sign-in/email', ADA, { origin: 'https://app.test' })
    const cookie = cookieOf(signIn)
    expect(cookie).toMatch(/^__(?:Secure|Host)-sdk\.session_token=/)
    expect(attributesOf(signIn.headers['set-cookie'])).toEqual(['httponly', 'path=/', 'samesite=lax', 'secure'])
    expect((await secure.call('GET /api/me', { headers: { cookie } })).status).toBe(200)
    // One that was set without https is not believed there, nor the other way.
    expect((await secure.call('GET /api/me', { headers: { cookie: ada.cookie } })).status).toBe(401)
    expect((await subject.call('GET /api/me', { headers: { cookie } })).status).toBe(401)
  })

  const value = (): string => ada.cookie.slice(ada.cookie.indexOf('=') + 1)
  const unsigned = (): string => decodeURIComponent(value()).split('.')[0] ?? ''
  const FORGED: Record<string, () => string> = {
    'a chosen value': () => `${NAME}=chosen-by-somebody`,
    'a chosen value, signed with another secret': () =>
      `${NAME}=${sign(unsigned(), 'the secret of somebody else, long enough')}`,
    'a signed token of no session': () => `${NAME}=${sign('x'.repeat(32))}`,
    'a signed text that is no token': () => `${NAME}=${sign("' or true --")}`,
    // The library signs this one itself, for a session that is not to be remembered.
    'the value of another cookie': () => `${NAME}=${sign('true')}`,
    'a tampered token': () => `${NAME}=${value().startsWith('a') ? 'b' : 'a'}${value().slice(1)}`,
    'a tampered signature': () => `${NAME}=${value().slice(0, -8)}AAAAA%3D`,
    'the signature of somebody else': () => `${NAME}=${unsigned()}.${grace.cookie.split('.').at(-1)}`,
    'a token without signature': () => `${NAME}=${unsigned()}`,
    'a token with an empty signature': () => `${NAME}=${unsigned()}.`,
    'a signature alone': () => `${NAME}=.${value().split('.').at(-1)}`,
    'nothing in it': () => `${NAME}=`,
    'no value': () => NAME,
    'a broken escape': () => `${NAME}=%E0%A4%A`,
    '8 kB': () => `${NAME}=${'x'.repeat(8_192)}`,
    '8 kB of dots': () => `${NAME}=${'.'.repeat(8_192)}`,
    '8 kB of escapes': () => `${NAME}=${'%00'.repeat(2_700)}`,
    '8 kB of other cookies': () => `${'a=b;'.repeat(2_000)}${NAME}=x`,
    'bytes that are no text': () => `${NAME}=\u00ff\u00fe.\u00e9`,
    'another name, in capitals': () => ada.cookie.toUpperCase(),
    'the name of https': () => `__Secure-${ada.cookie}`,
    'the access token': () => `${NAME}=${ada.token}`,
    'the good one after a bad one': () => `${NAME}=bad; ${ada.cookie}`,
    'the good one before a bad one': () => `${ada.cookie}; ${NAME}=bad`,
    'two good ones': () => `${ada.cookie}; ${grace.cookie}`,
    'the good one and an empty one': () => `${ada.cookie}; ${NAME}=`,
  }

  it.each(Object.entries(FORGED))('with %s are 401, never 500', async (_what, forge) => {
    const headers = { cookie: forge() }
    const before = subject.reached
    expectFailure(await subject.call('GET /api/me', { headers }), 401, 'UNAUTHORIZED')
    expectFailure(await subject.call('GET /api/v1/notes', { headers }), 401, 'UNAUTHORIZED')
    expect(subject.reached).toBe(before)
    expect((await subject.post('/access-token', {}, headers)).status).toBe(401)
    expect((await subject.call('GET /api/auth/list-sessions', { headers })).status).toBe(401)
    expect((await subject.call('GET /api/auth/get-session', { headers })).body).toBe('null')
    // Agents and sockets are there for everybody here, and know that nobody is signed in.
    expect(bodyOf(await subject.call('POST /agent/whoami', { headers, body: {} }))).toEqual({ via: null, name: null })
    const socket = await subject.connect(headers)
    expect(await socket.whoami()).toBeNull()
    socket.close()
  })

  it('that somebody planted before the sign-in are no session after it (fixation)', async () => {
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

  it('among many others, quoted or not, are found all the same', async () => {
    for (const cookie of [`a=b; ${ada.cookie}; c`, `${NAME}="${value()}"`, `x${NAME}=bad; ${ada.cookie}`])
      expect((await subject.call('GET /api/me', { headers: { cookie } })).status).toBe(200)
  })
})
