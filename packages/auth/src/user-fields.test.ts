import { type Database, openDatabase } from '@sdk/database'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ADA, createBrowser, createTestApp, readJson, SECRET, signedIn } from './auth-app.test.fixture.ts'
import { createAuth, type UserFields } from './index.ts'

const userFields: UserFields = {
  role: { type: 'string', default: 'member' },
  credits: { type: 'number', default: 10 },
  nickname: { type: 'string', input: true },
  level: { type: 'number', input: true },
  isPublic: { type: 'boolean', input: true, default: false },
  birthday: { type: 'date', input: true },
  note: { type: 'string', input: true, returned: false },
  country: { type: 'string', input: true, required: true },
  phone: { type: 'string', input: true, unique: true },
}

describe('userFields', () => {
  let database: Database
  let app: ReturnType<typeof createTestApp>
  beforeAll(async () => {
    database = openDatabase(await emptyDatabase())
    app = createTestApp(createAuth({ database, secret: SECRET, throttle: false, userFields }))
  })
  afterAll(() => database.close())

  let count = 0
  const signUp = async (members: object) => {
    const browser = createBrowser(app)
    const body = { ...ADA, email: `user${count++}@example.com`, country: 'GB', ...members }
    const response = await browser.post('/api/auth/sign-up/email', body)
    const { error } = await readJson(response)
    const { user } = await readJson(await browser.get('/open/me'))
    return { status: response.status, error, user: (user ?? {}) as Record<string, unknown>, browser }
  }

  it('are part of the user with their defaults, except those with returned: false', async () => {
    const { status, user } = await signUp({
      nickname: 'Countess',
      level: 3,
      isPublic: true,
      birthday: '1815-12-10T00:00:00Z',
      note: 'mine',
    })
    expect(status).toBe(200)
    expect(user).toMatchObject({
      role: 'member',
      credits: 10,
      nickname: 'Countess',
      level: 3,
      isPublic: true,
      birthday: '1815-12-10T00:00:00.000Z',
      country: 'GB',
    })
    expect(user).not.toHaveProperty('note')
    expect(await database.query(`select note from "user" where note is not null`)).toEqual([{ note: 'mine' }])
  })

  it('are null without a value or a default', async () => {
    expect((await signUp({})).user).toMatchObject({ nickname: null, level: null, isPublic: false, birthday: null })
  })

  it('cannot be set at sign-up without input: true', async () => {
    const { status, user } = await signUp({
      role: 'admin',
      credits: 1_000_000,
      id: 'chosen',
      emailVerified: true,
      createdAt: '1970-01-01T00:00:00Z',
      admin: true,
      constructor: { prototype: { role: 'admin' } },
    })
    expect(status).toBe(200)
    expect(user).toMatchObject({ role: 'member', credits: 10, emailVerified: false })
    expect(user['id']).not.toBe('chosen')
    expect(String(user['createdAt'])).not.toContain('1970')
    expect(user).not.toHaveProperty('admin')
  })

  it('cannot be set by update-user without input: true', async () => {
    const browser = createBrowser(app)
    await browser.post('/api/auth/sign-up/email', { ...ADA, email: 'later@example.com', country: 'GB' })
    const update = (body: object): Promise<Response> => browser.post('/api/auth/update-user', body)
    expect((await update({ nickname: 'Lovelace', level: 4 })).status).toBe(200)
    expect((await update({ role: 'admin' })).status).toBe(400)
    expect((await update({ name: 'Eve', credits: 99 })).status).toBe(400)
    expect((await update({ email: 'eve@example.com' })).status).toBe(400)
    await update({ nickname: 'Ada', emailVerified: true, id: 'x', credits: 0 })
    const { user } = await readJson(await browser.get('/api/me'))
    expect(user).toMatchObject({
      name: 'Ada',
      email: 'later@example.com',
      nickname: 'Ada',
      level: 4,
      role: 'member',
      credits: 10,
      emailVerified: false,
    })
  })

  it.each([
    { nickname: ['a'] },
    { nickname: { a: 1 } },
    { nickname: 5 },
    { level: 1.5 },
    { level: 2 ** 31 },
    { level: '3' },
    { isPublic: 'yes' },
    { isPublic: null },
    { birthday: 'tomorrow' },
    { birthday: 0 },
    { birthday: '2020-13-45' },
    { country: null },
  ])('reject %o as malformed and name the field', async (members) => {
    expect(await signUp(members)).toMatchObject({
      status: 400,
      error: {
        code: 'INVALID_REQUEST',
        details: [{ code: 'INVALID_VALUE', source: 'body', pointer: `/${Object.keys(members)[0]}` }],
      },
    })
  })

  it('report a missing field', async () => {
    expect(await signUp({ country: undefined })).toMatchObject({
      status: 400,
      error: {
        code: 'INVALID_REQUEST',
        message: 'country is required',
        details: [{ code: 'REQUIRED', message: 'is required', source: 'body', pointer: '/country' }],
      },
    })
  })

  it('report a unique field whose value is taken, without logging an error', async () => {
    const log = vi.spyOn(console, 'error')
    const details = [{ code: 'NOT_UNIQUE', message: 'is taken', source: 'body', pointer: '/phone' }]
    const refusal = { code: 'FIELD_TAKEN', message: 'phone is taken', details }
    const phone = '+44 20 7946 0000'
    expect((await signUp({ phone })).status).toBe(200)
    expect(await signUp({ phone })).toMatchObject({ status: 422, error: refusal })
    const { browser } = await signUp({})
    const update = await browser.post('/api/auth/update-user', { phone })
    expect({ status: update.status, ...(await readJson(update)) }).toMatchObject({ status: 422, error: refusal })
    expect(log).not.toHaveBeenCalled()
  })

  it('report the email address if two users sign up with it concurrently', async () => {
    const responses = await Promise.all([signUp({ email: 'both@example.com' }), signUp({ email: 'both@example.com' })])
    expect(responses.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 422]))
    expect(responses.find(({ status }) => status === 422)?.error).toMatchObject({
      code: 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
      details: [{ code: 'NOT_UNIQUE', pointer: '/email' }],
    })
  })

  it('can be added later, with defaults for existing users', async () => {
    const own = openDatabase(await emptyDatabase())
    const browser = await signedIn(createTestApp(createAuth({ database: own, secret: SECRET })))
    const { role, credits, nickname } = userFields
    const fields = { role, credits, nickname } as UserFields
    const later = createAuth({ database: own, secret: SECRET, userFields: fields })
    const found = await later.getSession(new Headers({ cookie: browser.cookie() }))
    expect(await found?.getUser()).toMatchObject({ name: 'Ada', role: 'member', credits: 10, nickname: null })
    const required = { country: { type: 'string', input: true, required: true } } as const
    await expect(createAuth({ database: own, secret: SECRET, userFields: required }).ready()).rejects.toThrow(
      /"user", column "country".*required and has no default/,
    )
    await own.close()
  })
})
