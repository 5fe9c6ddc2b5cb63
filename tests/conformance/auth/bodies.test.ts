import { describe, expect, it } from 'vitest'
import { send } from '../http/wire.ts'
import { ADA, GRACE } from './people.ts'
import { bodyOf, cookieOf, startAuth } from './subject.ts'
import { distinctWays } from './ways.ts'

const { email, password, name } = ADA
const deep = (open: string, close: string): string => `${open.repeat(10_000)}1${close.repeat(10_000)}`

/** Invalid bodies of `sign-in/email`, as they are sent. */
const WRONG: Record<string, string> = {
  'an empty body': '',
  'an unfinished object': '{"email":',
  'an array': '[]',
  'a string': '"ada"',
  null: 'null',
  'a number': '7',
  'two objects': '{}{}',
  'a comment': '{/* */}',
  'only a byte order mark': '\ufeff',
  '10k-deep arrays': `{"email":"${email}","password":"${password}","x":${deep('[', ']')}}`,
  '10k-deep objects': `{"email":"${email}","password":"${password}","x":${deep('{"a":', '}')}}`,
  '10k-deep unclosed arrays': `{"email":${'['.repeat(10_000)}`,
  'an array as the address': JSON.stringify({ email: [email], password }),
  'an array as the password': JSON.stringify({ email, password: [password] }),
  'an object as the address': JSON.stringify({ email: { length: 3, toLowerCase: 1 }, password }),
  'query operators as values': JSON.stringify({ email: { $ne: null }, password: { $ne: null } }),
  'a number as the password': JSON.stringify({ email, password: 7 }),
  'a boolean as the password': JSON.stringify({ email, password: true }),
  'null as the password': JSON.stringify({ email, password: null }),
  'no password': JSON.stringify({ email }),
  'no address': JSON.stringify({ password }),
  'an invalid address': JSON.stringify({ email: 'ada', password }),
  'a line break in the address': JSON.stringify({ email: `${email}\nbcc: x@evil.test`, password }),
  'a NUL in the address': JSON.stringify({ email: `${email}\0`, password }),
  'a NUL in the password': JSON.stringify({ email, password: `${password}\0` }),
  'a NUL in an unknown member': JSON.stringify({ email, password, x: ['\0'] }),
  'an unpaired surrogate': `{"email":"${email}","password":"\\ud800"}`,
  'a duplicate member': `{"email":"${email}","email":"${email}","password":"${password}"}`,
  'a duplicate member, once escaped': `{"email":"${email}","\\u0065mail":"x@evil.test","password":"${password}"}`,
  'a __proto__': `{"email":"${email}","password":"${password}","__proto__":{"role":"admin"}}`,
  'a nested __proto__': `{"email":"${email}","password":"${password}","x":{"__proto__":{"role":"admin"}}}`,
  'an escaped __proto__': `{"email":"${email}","password":"${password}","\\u005f_proto__":{"role":"admin"}}`,
}

describe.each(distinctWays)('auth request bodies on $way', (way) => {
  const subject = startAuth(way)

  it.each(Object.entries(WRONG))('are rejected with 400: %s', async (_name, text) => {
    for (const route of ['/sign-in/email', '/sign-up/email']) {
      const response = await subject.post(route, text)
      expect([route, response.status, response.body.slice(0, 300)]).toEqual([route, 400, expect.any(String)])
      expect(bodyOf(response)).toMatchObject({ error: { code: expect.stringMatching(/^INVALID_(?:REQUEST|EMAIL)$/) } })
      expect(response.headers['cache-control']).toBe('no-store')
      expect(response.headers).not.toHaveProperty('set-cookie')
    }
    expect(({} as Record<string, unknown>)['role']).toBeUndefined()
  })

  it('can have at most 64 KiB, also if chunked', async () => {
    const textOf = (length: number): string => {
      const [head, tail] = [`{"email":"${email}","password":"wrong password","x":"`, '"}']
      return head + 'x'.repeat(length - head.length - tail.length) + tail
    }
    const head = `POST /api/auth/sign-in/email HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\nContent-Type: application/json\r\n`
    const chunked = (text: string, size: number): string => {
      const chunks = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []
      const body = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
      return `${head}Transfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`
    }
    for (const [length, status] of [
      [65_536, 401],
      [65_537, 413],
      [1_000_000, 413],
      [3_000_000, 413],
    ] as const) {
      const text = textOf(length)
      const responses = [
        await subject.post('/sign-in/email', text),
        await send(subject.port, chunked(text, 16_384)),
        await send(subject.port, chunked(text, 1_000)),
      ]
      expect(responses.map((response) => response.status)).toEqual([status, status, status])
      for (const response of responses)
        expect(response.body).toContain(status === 413 ? 'CONTENT_TOO_LARGE' : 'INVALID_EMAIL_OR_PASSWORD')
    }
    // The limit counts bytes, not characters.
    expect((await subject.post('/sign-in/email', { email, password: '\u{1F511}'.repeat(20_000) })).status).toBe(413)
  })

  it('are rejected if the password is very long', async () => {
    const long = 'x'.repeat(60_000)
    expect((await subject.post('/sign-up/email', { name, email: 'long@example.com', password: long })).status).toBe(400)
    expect([400, 401]).toContain((await subject.post('/sign-in/email', { email, password: long })).status)
  })

  it('cannot set the role, the verified flag or the id of a user (mass assignment)', async () => {
    const changes = {
      role: 'admin',
      emailVerified: true,
      id: 'chosen',
      createdAt: '2000-01-01',
      banned: false,
      userId: 'x',
      user: { role: 'admin' },
    }
    const mallory = { name: 'Mallory', email: 'mallory@example.com', password }
    const signUp = await subject.post('/sign-up/email', { ...mallory, ...changes })
    const cookie = cookieOf(signUp)
    const changed = await subject.post('/update-user', { name: 'M', ...changes }, { cookie })
    expect([200, 400]).toContain(changed.status)
    for (const change of [
      { email: ADA.email },
      { emailVerified: true },
      { id: 'chosen' },
      { role: 'admin' },
      { password: 'x' },
    ])
      expect([200, 400]).toContain((await subject.post('/update-user', change, { cookie })).status)
    const { user } = bodyOf(await subject.call('GET /api/auth/get-session', { headers: { cookie } })) as {
      user: Record<string, unknown>
    }
    expect(user).toMatchObject({ email: mallory.email, emailVerified: false })
    expect(user['id']).not.toBe('chosen')
    expect(Object.keys(user).toSorted()).toEqual([
      'createdAt',
      'email',
      'emailVerified',
      'id',
      'image',
      'name',
      'updatedAt',
    ])
    const [row] = await subject.opened.query<Record<string, unknown>>('select * from "user" where email = $1', [
      mallory.email,
    ])
    expect([
      row?.['emailVerified'],
      row?.['id'] === 'chosen',
      new Date(String(row?.['createdAt'])).getFullYear() > 2000,
    ]).toEqual([false, false, true])
    expect((await subject.post('/sign-in/email', ADA)).status).toBe(200)
  })

  it('cannot change the user or the lifetime of a session, or read a password hash', async () => {
    const { cookie, id } = await subject.signIn(ADA)
    const before = await subject.opened.query('select * from session where id = $1', [id])
    const [grace] = await subject.opened.query<{ id: string }>('select id from "user" where email = $1', [GRACE.email])
    const changes = {
      userId: grace?.id,
      expiresAt: '2099-01-01T00:00:00.000Z',
      token: 'chosen',
      id: 'chosen',
      ipAddress: '::1',
      impersonatedBy: 'x',
    }
    for (const change of [changes, ...Object.entries(changes).map(([key, value]) => ({ [key]: value }))])
      expect([200, 400, 404]).toContain((await subject.post('/update-session', change, { cookie })).status)
    const after = await subject.opened.query('select * from session where id = $1', [id])
    expect(after.map((row) => ({ ...row, updatedAt: null }))).toEqual(
      before.map((row) => ({ ...row, updatedAt: null })),
    )
    const accounts = await subject.call('GET /api/auth/list-accounts', { headers: { cookie } })
    expect([accounts.status, accounts.body]).toEqual([200, expect.not.stringMatching(/password|[0-9a-f]{32}:|Token"/)])
    for (const route of ['/delete-user', '/change-email', '/set-password', '/admin/set-role'])
      expect(
        (
          await subject.post(
            route,
            { newEmail: 'x@evil.test', newPassword: 'long enough', password: ADA.password },
            { cookie },
          )
        ).status,
      ).toBeGreaterThanOrEqual(400)
    expect((await subject.post('/sign-in/email', ADA)).status).toBe(200)
  })

  it('cannot create a second account for another spelling of an address', async () => {
    for (const spelled of ['ADA@example.com', 'Ada@Example.COM', ' ada@example.com ', 'ada@example.com\u200b'])
      expect((await subject.post('/sign-up/email', { ...ADA, email: spelled })).status).toBeGreaterThanOrEqual(400)
    const rows = await subject.opened.query(`select 1 from "user" where lower(email) like '%ada@example.com%'`)
    expect(rows).toHaveLength(1)
  })
})
