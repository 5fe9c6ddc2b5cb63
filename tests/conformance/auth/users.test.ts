import type { ApiError } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { ADA, GRACE } from './people.ts'
import { createServerUsers, PASSWORD, refusal, toCookie } from './server-users.ts'
import { bodyOf, run, startAuth } from './subject.ts'
import { distinctWays } from './ways.ts'

describe.each(distinctWays)('auth.users on $way', (way) => {
  const subject = startAuth(way)
  const { newEmail, create, signIn, accountsOf, refused, requestReset } = createServerUsers(subject)

  describe('create', () => {
    it('creates a user that can sign in', async () => {
      const user = await create({ email: 'Joan@Example.com', image: 'https://example.com/joan.png' })
      expect(user).toEqual({
        id: expect.any(String),
        name: 'Joan',
        email: 'joan@example.com',
        emailVerified: false,
        image: 'https://example.com/joan.png',
        createdAt: expect.stringMatching(/^\d{4}-.+Z$/),
        updatedAt: expect.stringMatching(/^\d{4}-.+Z$/),
      })
      expect((await signIn('joan@example.com')).status).toBe(200)
      expect(await accountsOf(user.id)).toMatchObject([{ providerId: 'credential', accountId: user.id }])
    })

    it('creates a user without a password, which cannot sign in with one', async () => {
      const user = await create({ password: undefined, emailVerified: true })
      expect(user.emailVerified).toBe(true)
      expect(await accountsOf(user.id)).toEqual([])
      expect((await signIn(user.email)).status).toBe(401)
    })

    it('rejects invalid values with the errors of the sign-up route', async () => {
      const good = { name: 'Joan', email: newEmail(), password: PASSWORD }
      const bad = [
        { ...good, email: 'not an address' },
        { ...good, email: ADA.email },
        { ...good, email: ADA.email.toUpperCase() },
        { ...good, password: 'short' },
        { ...good, password: 'long'.repeat(50) },
        { ...good, name: undefined },
      ]
      for (const body of bad) {
        const { email, name, password } = body
        expect(await refusal(subject.auth.users.create({ email, name: name as string, password })), email).toEqual(
          await refused('/sign-up/email', body),
        )
      }
      expect(await subject.auth.users.findByEmail(good.email)).toBeNull()
    })

    it('accepts the same addresses as the sign-up route', async () => {
      const addresses = [
        'a@b.co',
        "o'hara+tag@sub.example.com",
        '_x@example.com',
        '.a@example.com',
        'a.@example.com',
        'a..b@example.com',
        'a@example',
        'a@-example.com',
        'a@example.c',
        'a b@example.com',
        'ä@example.com',
        'a@exämple.com',
        'a@b@example.com',
        'a@example.com\n',
        '@example.com',
        'a@',
        '',
        'a\0@example.com',
      ]
      const codes = await Promise.all(
        addresses.map(async (email) => {
          const there = await subject.post('/sign-up/email', { name: 'x', email, password: PASSWORD })
          if (there.status === 200) await subject.opened.query('delete from "user" where email = $1', [email])
          const here = await subject.auth.users.create({ name: 'x', email, password: PASSWORD }).then(
            () => 200,
            (error: ApiError) => error.status,
          )
          return [email, there.status, here]
        }),
      )
      for (const [email, there, here] of codes) expect([email, here]).toEqual([email, there])
      expect(new Set(codes.map(([, status]) => status))).toEqual(new Set([200, 400]))
    })

    it('rejects unknown fields by name', async () => {
      const details = [{ code: 'UNKNOWN_FIELD', message: 'is not a known field', source: 'body', pointer: '/rolle' }]
      expect(await refusal(create({ rolle: 'admin' }))).toMatchObject({ status: 400, error: { details } })
      expect(await refusal(create({ id: 'mine' }))).toMatchObject({ status: 400 })
    })

    it('rejects values of other types', async () => {
      const bad = [{ name: 1 }, { name: 'a\0b' }, { email: ['a@example.com'] }, { password: 1 }, { password: null }]
      for (const one of [...bad, { image: {} }, { emailVerified: 'yes' }])
        expect(await refusal(create(one))).toMatchObject({
          status: 400,
          error: { code: 'INVALID_REQUEST', details: [{ pointer: `/${Object.keys(one)[0]}` }] },
        })
    })

    it('creates one user for concurrent calls with the same address', async () => {
      const email = newEmail()
      const made = await Promise.allSettled(Array.from({ length: 8 }, () => create({ email })))
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const refusals = made.flatMap((one) => (one.status === 'rejected' ? [one.reason as ApiError] : []))
      const taken = { status: 422, details: [expect.objectContaining({ pointer: '/email' })] }
      expect(refusals).toEqual(Array.from({ length: 7 }, () => expect.objectContaining(taken)))
      const [row] = await subject.opened.query<{ n: string }>(
        `select count(*) n from account where "userId" in (select id from "user" where email = $1)`,
        [email],
      )
      expect(Number(row?.n)).toBe(1)
    })

    it('creates no user if the password cannot be stored', async () => {
      const email = newEmail()
      await subject.opened.query('alter table account rename to hidden')
      try {
        await expect(create({ email })).rejects.toThrow(/account/)
      } finally {
        await subject.opened.query('alter table hidden rename to account')
      }
      expect(await subject.auth.users.findByEmail(email)).toBeNull()
    })
  })

  describe('get, findByEmail and list', () => {
    it('return a user, or null', async () => {
      const user = await create()
      const { users } = subject.auth
      expect(await users.get(user.id)).toEqual(user)
      expect(await users.findByEmail(user.email.toUpperCase())).toEqual(user)
      for (const id of ['', 'nobody', 'a\0b', 1 as unknown as string]) expect(await users.get(id)).toBeNull()
      for (const email of ['', 'nobody', 'a\0b', {} as unknown as string])
        expect(await users.findByEmail(email)).toBeNull()
    })

    it('page through all users, forward and back', async () => {
      const { users } = subject.auth
      for (let at = 0; at < 5; at++) await create({ password: undefined })
      const rows = await subject.opened.query<{ email: string }>('select email from "user" order by email')
      const all = rows.map(({ email }) => email)
      const seen: string[] = []
      let page = await users.list({ limit: 2 })
      expect(page.pagination.prevCursor).toBeNull()
      for (;;) {
        seen.push(...page.data.map(({ email }) => email))
        if (page.pagination.nextCursor === null) break
        page = await users.list({ limit: 2, cursor: page.pagination.nextCursor })
      }
      expect(seen).toEqual(all)
      const back = page.data.map(({ email }) => email)
      while (page.pagination.prevCursor !== null) {
        page = await users.list({ limit: 2, cursor: page.pagination.prevCursor })
        back.unshift(...page.data.map(({ email }) => email))
      }
      expect(back).toEqual(all)
      expect(await users.list({ limit: 100 })).toMatchObject({ pagination: { limit: 100, hasMore: false } })
    })

    it('reject an invalid limit or cursor', async () => {
      const { users } = subject.auth
      for (const limit of [0, -1, 1.5, 101, Number.NaN])
        expect(await refusal(users.list({ limit }))).toMatchObject({ error: { details: [{ name: 'limit' }] } })
      expect(await refusal(users.list({ cursor: 'forged' }))).toMatchObject({
        error: { details: [{ code: 'INVALID_CURSOR' }] },
      })
    })
  })

  describe('update', () => {
    it('changes fields, also for open sessions', async () => {
      const user = await create()
      const { cookies } = await subject.auth.users.createSession(user.id)
      const cookie = toCookie(cookies)
      await subject.call('GET /api/me', { headers: { cookie } })
      const updated = await subject.auth.users.update(user.id, { name: 'Joan Clarke' })
      expect(updated).toEqual({ ...user, name: 'Joan Clarke', updatedAt: updated.updatedAt })
      expect(updated.updatedAt > user.updatedAt).toBe(true)
      expect(await subject.auth.users.update(user.id, {})).toMatchObject({ name: 'Joan Clarke' })
      expect(bodyOf(await subject.call('GET /api/me', { headers: { cookie } }))).toMatchObject({ name: 'Joan Clarke' })
    })

    it('marks a new address as unverified and ends reset links to the old one', async () => {
      const user = await create({ emailVerified: true })
      const token = await requestReset(user.email)
      const { users } = subject.auth
      expect(await users.update(user.id, { email: user.email.toUpperCase() })).toMatchObject({ emailVerified: true })
      const email = newEmail()
      expect(await users.update(user.id, { email: email.toUpperCase() })).toMatchObject({ email, emailVerified: false })
      expect((await subject.post('/reset-password', { newPassword: 'of a stranger', token })).status).toBe(400)
      expect(await users.update(user.id, { email: newEmail(), emailVerified: true })).toMatchObject({
        emailVerified: true,
      })
    })

    it('rejects taken addresses, unknown users and unknown fields', async () => {
      const { users } = subject.auth
      const user = await create()
      const taken = { code: 'NOT_UNIQUE', message: 'is taken', source: 'body', pointer: '/email' }
      expect(await refusal(users.update(user.id, { email: GRACE.email }))).toMatchObject({
        status: 422,
        error: { details: [taken] },
      })
      expect(await refusal(users.update(user.id, { email: 'nowhere' }))).toMatchObject({ status: 400 })
      expect(await refusal(users.update(user.id, { password: 'x' } as object))).toMatchObject({ status: 400 })
      expect(await refusal(users.update('nobody', { name: 'x' }))).toMatchObject({ error: { code: 'NOT_FOUND' } })
      expect(await users.get(user.id)).toEqual(user)
    })
  })

  describe('delete', () => {
    it('deletes the user with sessions and credentials', async () => {
      const { users } = subject.auth
      const user = await create()
      const { token } = await users.createSession(user.id)
      const headers = { authorization: `Bearer ${token}` }
      expect((await subject.call('GET /api/me', { headers })).status).toBe(200)
      await users.delete(user.id)
      expect((await subject.call('GET /api/me', { headers })).status).toBe(401)
      expect(await users.get(user.id)).toBeNull()
      expect(await accountsOf(user.id)).toEqual([])
      expect(await refusal(users.delete(user.id))).toMatchObject({ error: { code: 'NOT_FOUND' } })
    })

    it('keeps everything if a row cannot be deleted', async () => {
      const { users } = subject.auth
      const user = await create()
      const { token } = await users.createSession(user.id)
      await subject.opened.query('create table owned (owner text references "user" on delete restrict)')
      try {
        await subject.opened.query('insert into owned values ($1)', [user.id])
        await expect(users.delete(user.id)).rejects.toThrow(/foreign key|reference/)
        const headers = { authorization: `Bearer ${token}` }
        expect((await subject.call('GET /api/me', { headers })).status).toBe(200)
        expect(await users.verifyPassword(user.email, PASSWORD)).toMatchObject({ id: user.id })
      } finally {
        await subject.opened.query('drop table owned')
      }
      await users.delete(user.id)
    })
  })

  it('throws SERVICE_UNAVAILABLE if the database is unavailable', async () => {
    const opened = await way.openAway()
    const { auth, close } = await run(opened.source)
    const { users } = auth
    const calls = [
      () => users.get('x'),
      () => users.create(ADA),
      () => users.verifyPassword(ADA.email, ADA.password),
      () => users.delete('x'),
    ]
    for (const call of calls)
      expect(await refusal(call())).toMatchObject({ status: 503, error: { code: 'SERVICE_UNAVAILABLE' } })
    await close()
    await opened.close()
  })
})
