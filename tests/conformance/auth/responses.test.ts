import { mountAuthRoutes, createSessionMiddleware } from '@sdk/auth'
import { createApp, createLog, createRouter, type Router } from '@sdk/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { expectEnvelope } from './expect-envelope.ts'
import { ADA, GRACE, ORIGIN } from './people.ts'
import { bodyOf, credentialsOf, run, type Running, type Session, startAuth } from './subject.ts'
import { type Opened, distinctWays } from './ways.ts'

describe.each(distinctWays)('auth responses on $way', (way) => {
  const subject = startAuth(way)
  let ada: Session
  beforeAll(async () => {
    ada = await subject.signIn(ADA)
  })
  const cookie = (): Record<string, string> => ({ cookie: ada.cookie })

  it('are never cached', async () => {
    const responses = await Promise.all([
      subject.call('GET /api/auth/get-session'),
      subject.call('GET /api/auth/get-session', { headers: cookie() }),
      subject.call('GET /api/auth/list-sessions', { headers: cookie() }),
      subject.call('GET /api/auth/ok'),
      subject.call('GET /api/auth/nothing'),
      subject.call('GET /api/auth/reset-password/x?callbackURL=%2Fhome'),
      subject.post('/access-token', {}, cookie()),
      subject.post('/access-token', {}),
      subject.post('/sign-in/email', ADA),
      subject.post('/sign-in/email', {}),
      subject.post('/sign-out', {}),
    ])
    for (const { headers } of responses) expect(headers['cache-control']).toBe('no-store')
  })

  it('have the error members of the library and the envelope if they fail', async () => {
    const failures = [
      [await subject.post('/sign-in/email', { ...ADA, password: 'wrong password' }), 401, 'INVALID_EMAIL_OR_PASSWORD'],
      [await subject.post('/sign-up/email', ADA), 422, 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL'],
      [
        await subject.post('/sign-up/email', { ...ADA, email: 'x@example.com', password: 'short' }),
        400,
        'PASSWORD_TOO_SHORT',
      ],
      [await subject.post('/sign-in/email', {}), 400, 'INVALID_REQUEST'],
      [await subject.post('/reset-password', { token: 'x', newPassword: 'long enough' }), 400, 'INVALID_TOKEN'],
      [await subject.post('/access-token', {}), 401, 'UNAUTHORIZED'],
      [await subject.post('/sign-in/email', ADA, { origin: 'http://evil.test' }), 403, 'INVALID_ORIGIN'],
      [await subject.post('/nothing', {}), 404, 'NOT_FOUND'],
    ] as const
    for (const [response, status, code] of failures) {
      expect([response.status, bodyOf(response)]).toMatchObject([status, { error: { code } }])
      expectEnvelope(response)
      expect(response.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined)
    }
  })

  it('contain no session token in their JSON', async () => {
    const signIn = await subject.post('/sign-in/email', ADA)
    const own = { cookie: signIn.headers['set-cookie']?.split(';')[0] ?? '' }
    const token = decodeURIComponent(own.cookie.split('=')[1] ?? '').split('.')[0] ?? ''
    expect(token.length).toBeGreaterThanOrEqual(32)
    const responses = [
      signIn,
      await subject.call('GET /api/auth/get-session', { headers: own }),
      await subject.call('GET /api/auth/list-sessions', { headers: own }),
      await subject.post('/update-user', { name: 'Ada' }, own),
      await subject.call('GET /api/me', { headers: own }),
      await subject.post('/access-token', {}, own),
      await subject.post('/change-password', { currentPassword: ADA.password, newPassword: ADA.password }, own),
    ]
    for (const { status, body } of responses) {
      expect(status).toBe(200)
      expect(body).not.toContain(token)
    }
    for (const { body } of responses.toSpliced(5, 1)) expect(body).not.toMatch(/"token":"/)
    // The user has only these fields.
    const { user } = bodyOf(signIn) as { user: object }
    expect(Object.keys(user).toSorted()).toEqual([
      'createdAt',
      'email',
      'emailVerified',
      'id',
      'image',
      'name',
      'updatedAt',
    ])
    ada = await subject.signIn(ADA)
  })

  it('have a session token header only with bearer: true and if the request asks for it', async () => {
    const open = await subject.another({ bearer: true, trustedOrigins: ['https://friend.test'] })
    const tokenHeaders = { 'x-sdk-token': '1', origin: 'https://friend.test' }
    expect((await subject.post('/sign-in/email', ADA, { 'x-sdk-token': '1' })).headers).not.toHaveProperty(
      'x-sdk-token',
    )
    expect((await open.post('/sign-in/email', ADA)).headers).not.toHaveProperty('x-sdk-token')
    const { headers, body } = await open.post('/sign-in/email', ADA, tokenHeaders)
    const token = headers['x-sdk-token'] ?? ''
    expect(body).not.toContain(token.split('.')[0])
    const bearer = { authorization: `Bearer ${token}` }
    expectFailure(await open.call('GET /api/me', { headers: bearer }), 401, 'UNAUTHORIZED')
    expect(
      (await open.post('/change-password', { currentPassword: ADA.password, newPassword: 'x'.repeat(9) }, bearer))
        .status,
    ).toBe(401)
    const access = bodyOf(await open.post('/access-token', {}, bearer)) as { token: string }
    expect((await open.call('GET /api/me', { headers: { authorization: `Bearer ${access.token}` } })).status).toBe(200)
    expect((await subject.post('/access-token', {}, bearer)).status).toBe(401)
  })

  it('do not depend on the mount order of routes and middleware', async () => {
    const { auth } = subject
    const me = (ctx: { auth: unknown }) => ({ isUser: ctx.auth !== null })
    const log = createLog({ write: () => {} })
    const routers: Router[] = [
      createRouter()
        .use('/api/*', createSessionMiddleware(auth))
        .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
        .on('GET /api/me', me),
      createRouter()
        .on('GET /api/me', me)
        .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
        .use('/api/*', createSessionMiddleware(auth)),
    ]
    const optional = createRouter()
      .on('GET /api/me', me)
      .use('/api/*', createSessionMiddleware(auth, { optional: true }))
    const get = async (router: Router, path: string, headers: Record<string, string> = {}): Promise<unknown> => {
      const app = createApp({ router, log, rateLimit: false })
      const response = await app.fetch(new Request(ORIGIN + path, { headers }))
      await app.close()
      return [response.status, await response.json()]
    }
    for (const router of routers) {
      expect(await get(router, '/api/auth/get-session')).toEqual([200, null])
      expect(await get(router, '/api/me')).toMatchObject([401, { error: { code: 'UNAUTHORIZED' } }])
      for (const headers of credentialsOf(ada))
        expect(await get(router, '/api/me', headers)).toEqual([200, { isUser: true }])
    }
    expect(await get(optional, '/api/me')).toEqual([200, { isUser: false }])
    expect(await get(optional, '/api/me', cookie())).toEqual([200, { isUser: true }])
  })

  describe('with an unavailable database', () => {
    let opened: Opened
    let away: Running
    beforeAll(async () => {
      opened = await way.openAway()
      away = await run(opened.source)
    })
    afterAll(async () => {
      await away.close()
      await opened.close()
    })

    it('are 503 with Retry-After, never 401', async () => {
      const session = await subject.signIn(GRACE)
      const responses = [
        ...credentialsOf(session).map((headers) => away.call('GET /api/me', { headers })),
        ...credentialsOf(session).map((headers) => away.call('GET /api/v1/notes', { headers })),
        ...credentialsOf(session).map((headers) => away.call('POST /agent/whoami', { headers, body: {} })),
        away.post('/sign-in/email', ADA),
        away.post('/sign-in/email', { ...ADA, email: 'nobody@example.com' }),
        away.post('/access-token', {}, { cookie: session.cookie }),
        away.post('/request-password-reset', { email: ADA.email }),
        away.call('GET /api/auth/get-session', { headers: { cookie: session.cookie } }),
      ]
      for (const response of await Promise.all(responses)) {
        expect([response.status, response.body]).toEqual([503, expect.stringContaining('"SERVICE_UNAVAILABLE"')])
        expect(Number(response.headers['retry-after']), response.body).toBeGreaterThanOrEqual(1)
        expect(response.headers['cache-control']).toBe('no-store')
        expect(response.headers).not.toHaveProperty('set-cookie')
      }
      await expect(away.connect({ cookie: session.cookie })).rejects.toThrow('503')
      // A request without credentials needs no database.
      expect((await away.call('GET /api/me')).status).toBe(401)
    })
  })
})
