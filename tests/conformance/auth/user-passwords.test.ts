import { describe, expect, it } from 'vitest'
import { ADA } from './people.ts'
import { createServerUsers, PASSWORD, refusal, toCookie } from './server-users.ts'
import { bodyOf, startAuth } from './subject.ts'
import { distinctWays } from './ways.ts'

describe.each(distinctWays)('passwords and sessions of auth.users on $way', (way) => {
  const subject = startAuth(way)
  const { newEmail, create, signIn, accountsOf, refused, requestReset } = createServerUsers(subject)

  describe('setPassword', () => {
    it.each([{ before: 'another password' }, { before: undefined }])(
      'replaces the password $before and ends all sessions and reset links',
      async ({ before }) => {
        const { users } = subject.auth
        const user = await create({ password: before })
        const session = await users.createSession(user.id)
        const headers = { authorization: `Bearer ${session.token}` }
        const socket = await subject.connect(headers)
        expect((await subject.call('GET /api/me', { headers })).status).toBe(200)
        const token = await requestReset(user.email)
        await users.setPassword(user.id, PASSWORD)
        expect((await subject.call('GET /api/me', { headers })).status).toBe(401)
        expect(await socket.closed).toBe(4401)
        expect((await subject.post('/reset-password', { newPassword: 'of a stranger', token })).status).toBe(400)
        expect((await signIn(user.email)).status).toBe(200)
        expect((await signIn(user.email, before ?? 'another password')).status).toBe(401)
        expect(await accountsOf(user.id)).toHaveLength(1)
      },
    )

    it('stores one password for concurrent calls, and keeps the old one if sessions cannot be ended', async () => {
      const { users } = subject.auth
      const user = await create({ password: undefined })
      await Promise.all(['one password', 'two passwords', PASSWORD].map((each) => users.setPassword(user.id, each)))
      expect(await accountsOf(user.id)).toHaveLength(1)
      await users.setPassword(user.id, PASSWORD)
      await users.createSession(user.id)
      await subject.opened.query('create table kept (id text references session on delete restrict)')
      try {
        await subject.opened.query('insert into kept select id from session where "userId" = $1', [user.id])
        await expect(users.setPassword(user.id, 'another password')).rejects.toThrow(/foreign key|RESTRICT/)
      } finally {
        await subject.opened.query('drop table kept')
      }
      expect((await signIn(user.email)).status).toBe(200)
      expect((await signIn(user.email, 'another password')).status).toBe(401)
    })

    it('rejects passwords that are too short or too long, and unknown users', async () => {
      const { users } = subject.auth
      const user = await create()
      for (const [password, code] of [
        ['short', 'TOO_SHORT'],
        ['long'.repeat(50), 'TOO_LONG'],
      ] as const)
        expect(await refusal(users.setPassword(user.id, password))).toMatchObject({
          status: 400,
          error: { code: `PASSWORD_${code}`, details: [{ code, pointer: '/password' }] },
        })
      expect(await refusal(users.setPassword('nobody', PASSWORD))).toMatchObject({ error: { code: 'NOT_FOUND' } })
      expect((await signIn(user.email)).status).toBe(200)
    })
  })

  describe('verifyPassword', () => {
    it('returns the user and creates no session', async () => {
      const user = await create()
      expect(await subject.auth.users.verifyPassword(user.email.toUpperCase(), PASSWORD)).toEqual(user)
      expect(await subject.opened.query('select id from session where "userId" = $1', [user.id])).toEqual([])
    })

    it('throws the errors of the sign-in route', async () => {
      const { users } = subject.auth
      const without = await create({ password: undefined })
      const bad = [
        { email: ADA.email, password: 'wrong password' },
        { email: 'nobody@example.com', password: PASSWORD },
        { email: without.email, password: PASSWORD },
        { email: 'not an address', password: PASSWORD },
        { email: ADA.email, password: 'long'.repeat(50) },
        { email: ADA.email, password: '' },
      ]
      for (const { email, password } of bad)
        expect(await refusal(users.verifyPassword(email, password))).toEqual(
          await refused('/sign-in/email', { email, password }),
        )
      expect(await refusal(users.verifyPassword(1 as unknown as string, PASSWORD))).toMatchObject({ status: 400 })
    })

    it('counts toward the account limit of the routes, and toward the limit of a given IP address', async () => {
      const limits = { account: { quota: 3, window: 900 }, signIn: { quota: 2, window: 60 } }
      const { auth, post } = await subject.another({ throttle: limits })
      const [one, two] = [await create(), await create()]
      const guess = async (email: string, address?: string) =>
        (await refusal(auth.users.verifyPassword(email, 'wrong password', { address }))) as { status: number }
      expect((await guess(one.email)).status).toBe(401)
      expect((await post('/sign-in/email', { email: one.email, password: 'wrong password' })).status).toBe(401)
      expect((await guess(one.email)).status).toBe(401)
      expect((await guess(one.email)).status).toBe(429)
      expect((await post('/sign-in/email', { email: one.email, password: PASSWORD })).status).toBe(429)
      expect((await guess(two.email, '192.0.2.1')).status).toBe(401)
      expect((await guess(newEmail(), '192.0.2.1')).status).toBe(401)
      expect((await guess(newEmail(), '192.0.2.1')).status).toBe(429)
      expect((await guess(newEmail(), '192.0.2.2')).status).toBe(401)
      expect(await auth.users.verifyPassword(two.email, PASSWORD)).toMatchObject({ id: two.id })
    })

    it('requires a verified address if requireVerification is set', async () => {
      const { auth } = await subject.another({ email: { send: () => {}, requireVerification: true } })
      const user = await create()
      expect(await refusal(auth.users.verifyPassword(user.email, PASSWORD))).toMatchObject({
        status: 403,
        error: { code: 'EMAIL_NOT_VERIFIED' },
      })
      await auth.users.update(user.id, { emailVerified: true })
      expect(await auth.users.verifyPassword(user.email, PASSWORD)).toMatchObject({ emailVerified: true })
    })
  })

  describe('createSession and revokeSessions', () => {
    it('create credentials that are valid until they are revoked', async () => {
      const { users } = subject.auth
      const user = await create()
      const sessions = [await users.createSession(user.id), await users.createSession(user.id)]
      expect(new Set(sessions.map(({ id }) => id)).size).toBe(2)
      const headers = sessions.flatMap(({ token, cookies }) => [
        { authorization: `Bearer ${token}` },
        { cookie: toCookie(cookies) },
      ])
      for (const one of headers)
        expect(bodyOf(await subject.call('GET /api/me', { headers: one }))).toMatchObject({ name: 'Joan' })
      expect(sessions[0]?.cookies[0]).toMatch(/^sdk\.session_token=.+; HttpOnly/)
      expect(Date.parse(sessions[0]?.expiresAt ?? '')).toBeGreaterThan(Date.now() + 6 * 24 * 3_600_000)
      await users.revokeSessions(user.id)
      for (const one of headers) expect((await subject.call('GET /api/me', { headers: one })).status).toBe(401)
      expect(await refusal(users.createSession('nobody'))).toMatchObject({ error: { code: 'NOT_FOUND' } })
      expect(await refusal(users.revokeSessions('nobody'))).toMatchObject({ error: { code: 'NOT_FOUND' } })
    })
  })

  it('never expose a password hash', async () => {
    const { users } = subject.auth
    const user = await create()
    const hash = String((await accountsOf(user.id))[0]?.password)
    expect(hash.length).toBeGreaterThan(50)
    const shown = [
      user,
      await users.get(user.id),
      await users.findByEmail(user.email),
      await users.list({ limit: 100 }),
      await users.update(user.id, { name: 'Joan C.' }),
      await users.verifyPassword(user.email, PASSWORD),
      await users.createSession(user.id),
    ]
    expect(JSON.stringify(shown)).not.toContain(hash)
    expect(JSON.stringify(shown)).not.toContain('"password"')
  })
})
