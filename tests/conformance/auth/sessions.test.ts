import { describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { ADA, type Person } from './people.ts'
import { bodyOf, cookieOf, credentialsOf, type OpenSocket, type Running, type Session, startAuth } from './subject.ts'
import { ways } from './ways.ts'

/** What a session opens, or not. */
async function statuses(running: Running, session: Session): Promise<number[]> {
  const answers = credentialsOf(session).flatMap((headers) => [
    running.call('GET /api/me', { headers }),
    running.call('GET /api/v1/notes', { headers }),
  ])
  return (await Promise.all(answers)).map(({ status }) => status)
}

const OPEN = [200, 200, 200, 200]
const OVER = [401, 401, 401, 401]

describe.each(ways)('sessions on $way', (way) => {
  // So long that nothing here passes because a session was read again in time.
  const subject = startAuth(way, { sessionCacheMs: 3_600_000 })
  let count = 0

  /** Somebody new. */
  async function arrive(): Promise<Person> {
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
    'that sign out': ({ cookie }) => subject.post('/sign-out', {}, { cookie }),
    'that another one revokes': ({ id }, { cookie }) => subject.post('/revoke-session', { id }, { cookie }),
    'that revoke themselves': ({ id, cookie }) => subject.post('/revoke-session', { id }, { cookie }),
    'that another one revokes with all others': (_, { cookie }) =>
      subject.post('/revoke-other-sessions', {}, { cookie }),
    'that are revoked all together': (_, { cookie }) => subject.post('/revoke-sessions', {}, { cookie }),
  }

  it.each(Object.entries(REVOKED))('%s are 401 at once, and their open sockets close 4401', async (_way, revoke) => {
    const person = await arrive()
    const [session, other] = await Promise.all([subject.signIn(person), subject.signIn(person)])
    const open = await sockets(session)
    expect(await statuses(subject, session)).toEqual(OPEN)
    expect((await revoke(session, other)).status).toBe(200)
    await expectOver(session, open)
  })

  it('that expired are 401 at once, and their open sockets close 4401', async () => {
    const person = await arrive()
    // Others are renewed while they are in use.
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

  it('whose rows are deleted behind our back, or those of their users, are 401 as soon as they are read, and their open sockets close 4401', async () => {
    const limits = { socket: { signInCheck: 200 } }
    const unkept = await subject.another({ sessionCacheMs: 0 }, { limits })
    const people = [await arrive(), await arrive()] as const
    const [session, orphan] = [await unkept.signIn(people[0]), await unkept.signIn(people[1])]
    expect([await statuses(unkept, session), await statuses(unkept, orphan)]).toEqual([OPEN, OPEN])
    const open = [...(await sockets(session, unkept)), ...(await sockets(orphan, unkept))]
    await subject.opened.query('delete from session where id = $1', [session.id])
    await subject.opened.query('delete from "user" where email = $1', [people[1].email])
    expect([await statuses(unkept, session), await statuses(unkept, orphan)]).toEqual([OVER, OVER])
    expect(await Promise.all(open.map(({ closed }) => closed))).toEqual(open.map(() => 4401))
  })

  it('other than the own one end when the password is changed, also where the request says no', async () => {
    for (const wish of [{}, { revokeOtherSessions: false }]) {
      const person = await arrive()
      const [own, other] = await Promise.all([subject.signIn(person), subject.signIn(person)])
      const open = await sockets(other)
      const passwords = { currentPassword: person.password, newPassword: 'quite another one', ...wish }
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

  it('of others cannot be ended, nor found out', async () => {
    const [ada, mallory] = [await subject.signIn(await arrive()), await subject.signIn(await arrive())]
    for (const body of [{ id: ada.id }, { id: 'no such session' }]) {
      const refused = await subject.post('/revoke-session', body, { cookie: mallory.cookie })
      expect([refused.status, refused.body]).toEqual([404, expect.stringContaining('Session not found')])
    }
    for (const body of [{}, { id: [ada.id] }, { id: { $ne: null } }, { token: ada.cookie }])
      expect((await subject.post('/revoke-session', body, { cookie: mallory.cookie })).status).toBe(400)
    const listed = await subject.call('GET /api/auth/list-sessions', { headers: { cookie: mallory.cookie } })
    expect(listed.body).not.toContain(ada.id)
    expect(await statuses(subject, ada)).toEqual(OPEN)
  })

  describe('reset', () => {
    /** The token of the mail that somebody asked for. */
    async function askFor({ email }: Person): Promise<string> {
      const before = subject.mails.length
      expect((await subject.post('/request-password-reset', { email })).status).toBe(200)
      await expect.poll(() => subject.mails.length).toBe(before + 1)
      return subject.mails.at(-1)?.token ?? ''
    }
    const reset = (token: string, newPassword = 'a new password') =>
      subject.post('/reset-password', { token, newPassword })

    it('tokens are for a single use, and end every session', async () => {
      const person = await arrive()
      const session = await subject.signIn(person)
      const open = await sockets(session)
      const token = await askFor(person)
      const used = await Promise.all([reset(token, 'the first of two'), reset(token, 'the second of two')])
      expect(used.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
      await expectOver(session, open)
      expect((await reset(token)).status).toBe(400)
      const chosen = used[0]?.status === 200 ? 'the first of two' : 'the second of two'
      const statusOf = async (password: string): Promise<number> =>
        (await subject.post('/sign-in/email', { ...person, password })).status
      expect([await statusOf(person.password), await statusOf(chosen)]).toEqual([401, 200])
    })

    it('tokens are not other texts, not old, and not spent by a bad password', async () => {
      const person = await arrive()
      const token = await askFor(person)
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
