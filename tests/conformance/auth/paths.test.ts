import { describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { send } from '../http/wire.ts'
import { expectEnvelope } from './expect-envelope.ts'
import { ADA } from './people.ts'
import { startAuth } from './subject.ts'
import { oneWay } from './ways.ts'

/** Spellings of protected paths, and detours through public ones. */
const GUARDED = [
  '/api/me',
  '/api/me/',
  '//api/me',
  '/api//me',
  '/api/./me',
  '/./api/me',
  '/API/me',
  '/api/ME',
  '/api/%6de',
  '/%61pi/me',
  '/api%2fme',
  '/api%2Fme',
  '/api\\me',
  '/api/me%00',
  '/api/me%20',
  '/api/me;x=y',
  '/api;/me',
  '/api/me?/api/auth/',
  '/api/me?x=/api/auth/sign-in',
  '/api/auth/../me',
  '/api/auth/..%2fme',
  '/api/auth/%2e%2e/me',
  '/api/auth/%2E%2E/me',
  '/api/auth/.%2e/me',
  '/api/auth/..;/me',
  '/api/auth/..\\me',
  '/api/auth/%252e%252e/me',
  '/api/auth/x/../../me',
  '/api/auth//../me',
  '/api/auth/%c0%ae%c0%ae/me',
  '/x/../api/me',
  '/agent/../api/me',
  '/api/authors/me',
  '/api/authors/auth/me',
  '/api/tree/api/auth/sign-in/email',
  '/api/tree/auth/',
  '/api/tree/../auth/ok',
  '/api/v1/notes',
  '/api/v1/notes/',
  '/api/v1/%6eotes',
  '/api/v1//notes',
  'http://app.test/api/me',
  'http://evil.test/api/me',
  'http://app.test//api/me',
  '*',
]

/** Spellings of an auth route. */
const ALIASES = [
  '/api/auth//sign-in/email',
  '//api/auth/sign-in/email',
  '/api//auth/sign-in/email',
  '/api/auth/sign-in//email',
  '/api/auth/sign-in/email/',
  '/api/auth/./sign-in/email',
  '/api/auth/x/../sign-in/email',
  '/api/x/../auth/sign-in/email',
  '/api/auth/%2e%2e/auth/sign-in/email',
  '/api/auth/x/%2e%2e/sign-in/email',
  '/api/auth/%73ign-in/email',
  '/api/%61uth/sign-in/email',
  '/api/auth/sign-in%2femail',
  '/api/auth/sign-in%2Femail',
  '/api/auth/sign-in\\email',
  '/api/auth/sign-in/email;x',
  '/api/auth/sign-in/email%00',
  '/api/auth/sign-in/email%20',
  '/api/auth/sign-in/email%3f',
  '/api/auth/SIGN-IN/email',
  '/api/AUTH/sign-in/email',
  '/api/auth/api/auth/sign-in/email',
  '/api/auth.json/sign-in/email',
  '/api/auth/sign-in/email.json',
  '/api/auth/sign-in/(email)',
  '/api/auth/sign-in/*',
  '/api/auth/sign-in/:email',
]

describe.each(oneWay)('request paths on $way', (way) => {
  const subject = startAuth(way)

  it.each(GUARDED)('%j never reaches a protected handler', async (target) => {
    const before = subject.reached
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
      const response = await send(
        subject.port,
        `${method} ${target} HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
        { toHead: method === 'HEAD' },
      )
      const isPreflight = method === 'OPTIONS' && response.status === 204
      expect(isPreflight ? 401 : response.status, `${method} ${target}`).toBeGreaterThanOrEqual(400)
      expect(response.status).toBeLessThan(500)
      expect(response.body).not.toMatch(/"via"|"data"/)
    }
    expect(subject.reached).toBe(before)
  })

  it.each(ALIASES)('%j does not sign a user in', async (target) => {
    const response = await subject.call(`POST ${target}`, { body: ADA })
    // An invalid path is 400.
    expect(/%00|\\/.test(target) ? 400 : 404).toBe(response.status)
    expect(response.headers).not.toHaveProperty('set-cookie')
  })

  it('are not normalized with a session', async () => {
    const { cookie } = await subject.signIn(ADA)
    const statusOf = async (path: string): Promise<number> =>
      (await subject.call(`GET ${path}`, { headers: { cookie } })).status
    expect([await statusOf('/api/me'), await statusOf('/api/authors/me'), await statusOf('/api/v1/notes')]).toEqual([
      200, 200, 200,
    ])
    expect([await statusOf('/api/auth/../me'), await statusOf('/api/auth/%2e%2e/me')]).toEqual([404, 404])
  })

  it('below the auth routes return 404 with the envelope if unknown, and 405 for other methods', async () => {
    for (const path of [
      '/nothing',
      '/sign-in',
      '/admin/list-users',
      '/token',
      '/.env',
      '/constructor',
      '/__proto__',
      '/toString',
    ]) {
      const response = await subject.call(`GET /api/auth${path}`)
      expect([path, response.status]).toEqual([path, 404])
      expectEnvelope(response)
    }
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expectFailure(await subject.call(`${method} /api/auth/sign-out`, { body: {} }), 405, 'METHOD_NOT_ALLOWED')
    for (const path of ['/api/auth', '/api/auth/'])
      expect((await subject.call(`GET ${path}`)).status).toBeGreaterThanOrEqual(401)
  })
})
