import { describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { ADA, type Person } from './people.ts'
import { bodyOf, cookieOf, credentialsOf, type OpenSocket, type Running, type Session, startAuth } from './subject.ts'
import { ways } from './ways.ts'

/** Returns the statuses of requests with the credentials of a session. */
async function statuses(running: Running, session: Session): Promise<number[]> {
  const responses = credentialsOf(session).flatMap((headers) => [
    running.call('GET /api/me', { headers }),
    running.call('GET /api/v1/notes', { headers }),
  ])
  return (await Promise.all(responses)).map(({ status }) => status)
}

const OPEN = [200, 200, 200, 200]
const OVER = [401, 401, 401, 401]

describe.each(ways)('sessions on $way', (way) => {
  // Long enough that no test passes because a session was read again.
  const subject = startAuth(way, { sessionCacheMs: 3_600_000 })
  let count = 0

  /** Signs a new user up. */
  async function signUp(): Promise<Person> {
    const person = { ...ADA, email: `user${(count += 1)}@example.com` }
    expect((await subject.post('/sign-up/email', person)).status).toBe(200)
    return person
  }

  async function sockets(session: Session, running: Running = subject): Promise<OpenSocket[]> {
    const [byCookie = {}, byHeader = {}] = credentialsOf(session)
    const all = [
      running.connect(byCookie),
      running.connect(byHeader),
      running.connect({}, ['sdk.v1', `sdk.token.${session.token}`]),
    ]
    return Promise.all(all)
  }

  async function expectOver(session: Session, open: readonly OpenSocket[]): Promise<void> {
    expect(await statuses(subject, session)).toEqual(OVER)
    for (const headers of credentialsOf(session))
      expectFailure(await subject.call('GET /api/me', { headers }), 401, 'UNAUTHORIZED')
    expect((await subject.post('/access-token', {}, { cookie: session.cookie })).status).toBe(401)
    expect(bodyOf(await subject.call('GET /api/auth/get-session', { headers: { cookie: session.cookie } }))).toBeNull()
    expect(await Promise.all(open.map(({ closed }) => closed))).toEqual(open.map(() => 4401))
  }

  const REVOKED: Record<string, (own: Session, other: Session) => Promise<{ status: number }>> = {
    'by a sign-out': ({ cookie }) => subject.post('/sign-out', {}, { cookie }),
    'by another session': ({ id }, { cookie }) => subject.post('/revoke-session', { id }, { cookie }),
    'by themselves': ({ id, cookie }) => subject.post('/revoke-session', { id }, { cookie }),
    'by another session as one of all others': (_, { cookie }) =>
      subject.post('/revoke-other-sessions', {}, { cookie }),
    'together with all others': (_, { cookie }) => subject.post('/revoke-sessions', {}, { cookie }),
  }

  it.each(Object.entries(REVOKED))('revoked %s return 401, and their sockets close with 4401', async (_by, revoke) => {
    const person = await signUp()
    const [session, other] = await Promise.all([subject.signIn(person), subject.signIn(person)])
    const open = await sockets(session)
    expect(await statuses(subject, session)).toEqual(OPEN)
    expect((await revoke(session, other)).status).toBe(200)
    await expectOver(session, open)
  })

  it('that expired return 401, and their sockets close with 4401', async () => {
    const person = await signUp()
    // Remembered sessions are renewed while they are in use.
    const cookie = cookieOf(await subject.post('/sign-in/email', { ...person, rememberMe: false }))
    const rows = await subject.opened.query<{ id: string }>(
      `update session set "expiresAt" = now() + interval '4 seconds'
       where token = $1 returning id`,
      [decodeURIComponent(cookie).split('=')[1]?.split('.')[0]],
    )
    const { token, expiresAt } = bodyOf(await subject.post('/access-token', {}, { cookie })) as {
      token: string
      expiresAt: string
    }
    // A token lasts no longer than its session.
    expect(Date.parse(expiresAt)).toBeLessThan(Date.now() + 5_000)
    const session = { cookie, token, id: rows[0]?.id ?? '' }
    const open = await sockets(session)
    expect(await statuses(subject, session)).toEqual(OPEN)
    expect(await Promise.all(open.map(({ closed }) => closed))).toEqual(open.map(() => 4401))
    await expectOver(session, open)
  })

  it('whose rows or users were deleted return 401, and their sockets close with 4401', async () => {
    const limits = { socket: { signInCheck: 200 } }
    const uncached = await subject.another({ sessionCacheMs: 0 }, { limits })
    const people = [await signUp(), await signUp()] as const
    const [session, orphan] = [await uncached.signIn(people[0]), await uncached.signIn(people[1])]
    expect([await statuses(uncached, session), await statuses(uncached, orphan)]).toEqual([OPEN, OPEN])
    const open = [...(await sockets(session, uncached)), ...(await sockets(orphan, uncached))]
    await subject.opened.query('delete from session where id = $1', [session.id])
    await subject.opened.query('delete from "user" where email = $1', [people[1].email])
    expect([await statuses(uncached, session), await statuses(uncached, orphan)]).toEqual([OVER, OVER])
    expect(await Promise.all(open.map(({ closed }) => closed))).toEqual(open.map(() => 4401))
  })

  it('of other devices end when the password is changed, even with revokeOtherSessions: false', async () => {
    for (const options of [{}, { revokeOtherSessions: false }]) {
      const person = await signUp()
      const [own, other] = await Promise.all([subject.signIn(person), subject.signIn(person)])
      const open = await sockets(other)
      const passwords = { currentPassword: person.password, newPassword: 'quite another one', ...options }
      const wrong = await subject.post(
        '/change-password',
        { ...passwords, currentPassword: 'wrong password' },
        { cookie: own.cookie },
      )
      expect([wrong.status, await statuses(subject, other)]).toEqual([400, OPEN])
      const changed = await subject.post('/change-password', passwords, { cookie: own.cookie })
      await expectOver(other, open)
      const headers = { cookie: cookieOf(changed) }
      expect((await subject.call('GET /api/me', { headers })).status).toBe(200)
      expect((await subject.post('/sign-in/email', person)).status).toBe(401)
    }
  })

  it('of other users cannot be revoked or listed', async () => {
    const [ada, mallory] = [await subject.signIn(await signUp()), await subject.signIn(await signUp())]
    for (const body of [{ id: ada.id }, { id: 'no such session' }]) {
      const response = await subject.post('/revoke-session', body, { cookie: mallory.cookie })
      expect([response.status, response.body]).toEqual([404, expect.stringContaining('Session not found')])
    }
    for (const body of [{}, { id: [ada.id] }, { id: { $ne: null } }, { token: ada.cookie }])
      expect((await subject.post('/revoke-session', body, { cookie: mallory.cookie })).status).toBe(400)
    const listed = await subject.call('GET /api/auth/list-sessions', { headers: { cookie: mallory.cookie } })
    expect(listed.body).not.toContain(ada.id)
    expect(await statuses(subject, ada)).toEqual(OPEN)
  })

  describe('password reset tokens', () => {
    /** Returns the token of a password reset mail. */
    async function requestToken({ email }: Person): Promise<string> {
      const before = subject.mails.length
      expect((await subject.post('/request-password-reset', { email })).status).toBe(200)
      await expect.poll(() => subject.mails.length).toBe(before + 1)
      return subject.mails.at(-1)?.token ?? ''
    }
    const reset = (token: string, newPassword = 'a new password') =>
      subject.post('/reset-password', { token, newPassword })

    it('can be used once, and end every session', async () => {
      const person = await signUp()
      const session = await subject.signIn(person)
      const open = await sockets(session)
      const token = await requestToken(person)
      const used = await Promise.all([reset(token, 'the first of two'), reset(token, 'the second of two')])
      expect(used.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
      await expectOver(session, open)
      expect((await reset(token)).status).toBe(400)
      const chosen = used[0]?.status === 200 ? 'the first of two' : 'the second of two'
      const statusOf = async (password: string): Promise<number> =>
        (await subject.post('/sign-in/email', { ...person, password })).status
      expect([await statusOf(person.password), await statusOf(chosen)]).toEqual([401, 200])
    })

    it('are rejected if changed or expired, and stay valid after an invalid password', async () => {
      const person = await signUp()
      const token = await requestToken(person)
      for (const wrong of ['', 'x', token.slice(0, -1), `${token}x`, token.toUpperCase(), `${token}%00`, '%', '../x'])
        expect((await reset(wrong)).status).toBe(400)
      expect((await reset(token, 'short')).status).toBe(400)
      expect((await reset(token, 'x'.repeat(1_000))).status).toBe(400)
      await subject.opened.query(
        `update verification set "expiresAt" = now() - interval '1 second' where identifier like $1`,
        [`%${token}`],
      )
      expect((await reset(token)).status).toBe(400)
      expect((await subject.post('/sign-in/email', person)).status).toBe(200)
    })
  })
})
