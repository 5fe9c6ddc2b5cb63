import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { ADA, GRACE, SECRET } from './people.ts'
import { bodyOf, credentialsOf, type Session, startAuth } from './subject.ts'
import { distinctWays } from './ways.ts'

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const hour = (): number => Math.floor(Date.now() / 1000) + 3600

function jwt(header: object, payload: object, secret: string | null): string {
  const body = `${base64url(header)}.${base64url(payload)}`
  return `${body}.${secret === null ? '' : createHmac('sha256', secret).update(body).digest('base64url')}`
}

describe.each(distinctWays)('tokens on $way', (way) => {
  const subject = startAuth(way)
  let ada: Session
  let grace: Session
  beforeAll(async () => {
    ;[ada, grace] = await Promise.all([subject.signIn(ADA), subject.signIn(GRACE)])
  })
  const signed = (): string => decodeURIComponent(ada.cookie.slice(ada.cookie.indexOf('=') + 1))
  const claim = (): object => ({ sub: ada.id, sid: ada.id, sessionId: ada.id, email: ADA.email, exp: hour() })
  const [body, tail] = [(token: string) => token.split('.')[0] ?? '', (token: string) => token.split('.')[1] ?? '']

  const FORGED: Record<string, () => string> = {
    'a JWT with alg:none': () => `Bearer ${jwt({ alg: 'none', typ: 'JWT' }, claim(), null)}`,
    'a JWT with alg:None': () => `Bearer ${jwt({ alg: 'None' }, claim(), null)}`,
    'a JWT with the wrong key': () => `Bearer ${jwt({ alg: 'HS256', typ: 'JWT' }, claim(), 'another key')}`,
    'a JWT with an empty key': () => `Bearer ${jwt({ alg: 'HS256', typ: 'JWT' }, claim(), '')}`,
    'a JWT with the right key': () => `Bearer ${jwt({ alg: 'HS256', typ: 'JWT' }, claim(), SECRET)}`,
    'the raw session token': () => `Bearer ${signed().split('.')[0]}`,
    'the signed session token': () => `Bearer ${signed()}`,
    'the id of the session': () => `Bearer ${ada.id}`,
    Basic: () => `Basic ${Buffer.from(`${ADA.email}:${ADA.password}`).toString('base64')}`,
    'Basic with a token': () => `Basic ${ada.token}`,
    'a token without a scheme': () => ada.token,
    'another scheme': () => `Token ${ada.token}`,
    'Bearer without a token': () => 'Bearer',
    'Bearer with spaces': () => 'Bearer    ',
    'two tokens': () => `Bearer ${ada.token} ${ada.token}`,
    'two tokens with a comma': () => `Bearer ${ada.token}, Bearer ${grace.token}`,
    'a claim of Grace with Ada’s signature': () => `Bearer ${body(grace.token)}.${tail(ada.token)}`,
    'a claim without a signature': () => `Bearer ${body(ada.token)}`,
    'a claim with an empty signature': () => `Bearer ${body(ada.token)}.`,
    'a longer signature': () => `Bearer ${ada.token}A`,
    'a third part': () => `Bearer ${ada.token}.x`,
    'a claim that was signed with the bare secret': () => {
      const text = base64url([ada.id, Date.now() + 60_000])
      return `Bearer ${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`
    },
    'a padded token': () => `Bearer ${ada.token}=`,
    '8 kB': () => `Bearer ${'x'.repeat(8_192)}`,
    '8 kB of dots': () => `Bearer ${'.'.repeat(8_192)}`,
    'invalid UTF-8': () => 'Bearer \u00ff\u00fe',
    'a __proto__': () => 'Bearer __proto__.__proto__',
  }

  it.each(Object.entries(FORGED))('are rejected with 401: %s', async (_name, forge) => {
    const headers = { authorization: forge() }
    const before = subject.reached
    for (const line of ['GET /api/me', 'POST /api/me', 'GET /api/v1/notes'])
      expectFailure(
        await subject.call(line, { headers, ...(line.startsWith('POST') && { body: {} }) }),
        401,
        'UNAUTHORIZED',
      )
    expect(subject.reached).toBe(before)
    for (const route of ['/access-token', '/revoke-sessions', '/change-password'])
      expect((await subject.post(route, { currentPassword: 'x', newPassword: 'y' }, headers)).status).toBe(401)
    expect((await subject.call('GET /api/auth/get-session', { headers })).body).toBe('null')
  })

  it('are accepted by the app, but not by the auth routes', async () => {
    const headers = { authorization: `Bearer ${ada.token}` }
    expect((await subject.post('/access-token', {}, headers)).status).toBe(401)
    expect((await subject.call('GET /api/auth/list-sessions', { headers })).status).toBe(401)
    expect((await subject.call('GET /api/me', { headers })).status).toBe(200)
    expect((await subject.call('GET /api/me', { headers: { authorization: `bearer  ${ada.token}` } })).status).toBe(200)
  })

  it('that are invalid return 401 even with a valid cookie', async () => {
    const headers = { cookie: ada.cookie, authorization: `Bearer ${ada.token}x` }
    expectFailure(await subject.call('GET /api/me', { headers }), 401, 'UNAUTHORIZED')
  })

  it('in the URL are ignored', async () => {
    for (const name of ['token', 'access_token', 'authorization', 'sdk.session_token', 'bearer'])
      expectFailure(await subject.call(`GET /api/me?${name}=${encodeURIComponent(ada.token)}`), 401, 'UNAUTHORIZED')
  })

  it('are verified for sockets', async () => {
    const socket = await subject.connect({ authorization: `Bearer ${ada.token}` })
    expect(await socket.whoami()).toBe('Ada')
    socket.close()
    for (const bad of [
      `${ada.token}x`,
      jwt({ alg: 'none' }, claim(), null),
      ada.id,
      `${body(grace.token)}.${tail(ada.token)}`,
    ]) {
      await expect(subject.connect({}, [`sdk.token.${bad}`])).rejects.toThrow('401')
      // A browser cannot read a 401, so the socket is accepted and closed.
      const own = await subject.connect({}, ['sdk.v1', `sdk.token.${bad}`])
      expect(await own.closed).toBe(4401)
    }
    for (const authorization of ['Bearer x', `Bearer ${signed()}`]) {
      const raw = await subject.connect({ authorization })
      expect(await raw.whoami()).toBeNull()
      raw.close()
    }
  })

  it('for email verification return 401 with alg:none, a wrong key or an old expiry', async () => {
    const payload = { email: ADA.email, iat: hour() - 3600, exp: hour() }
    const forged = [
      jwt({ alg: 'none', typ: 'JWT' }, payload, null),
      jwt({ alg: 'none' }, payload, SECRET),
      jwt({ alg: 'HS256' }, payload, 'another key'),
      jwt({ alg: 'HS256' }, payload, ''),
      jwt({ alg: 'HS256' }, { ...payload, exp: hour() - 7200 }, SECRET),
      `${ada.token}.x`,
      'x',
    ]
    for (const token of forged)
      expect((await subject.call(`GET /api/auth/verify-email?token=${token}`)).status).toBe(401)
    const rows = await subject.opened.query<{ emailVerified: boolean }>(
      'select "emailVerified" from "user" where email = $1',
      [ADA.email],
    )
    expect(rows).toEqual([{ emailVerified: false }])
  })

  it('of one request are never used for another concurrent request', async () => {
    const callers = [
      { name: 'Ada', headers: credentialsOf(ada) },
      { name: 'Grace', headers: credentialsOf(grace) },
      { name: null, headers: [{}, { cookie: 'sdk.session_token=x' }] as Record<string, string>[] },
    ]
    const requests = Array.from({ length: 40 }, () => callers)
      .flat()
      .flatMap(({ name, headers }) => headers.map((sent) => ({ name, sent })))
    const seen = await Promise.all(
      requests.map(async ({ sent }, at) => {
        const isAgent = at % 3 === 0
        const response = await (isAgent
          ? subject.call('POST /agent/whoami', { headers: sent, body: {} })
          : subject.call('GET /api/slow', { headers: sent }))
        return [response.status, response.status === 401 ? null : bodyOf(response)]
      }),
    )
    const expected = requests.map(({ name, sent }, at) => {
      const who = { via: name === null ? null : 'cookie' in sent ? 'cookie' : 'bearer', name }
      if (at % 3 === 0) return [200, who]
      return name === null ? [401, null] : [200, [who, who]]
    })
    expect(seen).toEqual(expected)
  })
})
