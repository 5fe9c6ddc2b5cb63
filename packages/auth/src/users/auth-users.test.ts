import { type Database, openDatabase } from '@sdk/database'
import { emptyDatabase } from '@sdk/test-kit'
import { admin } from 'better-auth/plugins'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, createTestApp, readJson, SECRET } from '../auth-app.test.fixture.ts'
import { createAuth, createSessionMiddleware } from '../index.ts'

const PASSWORD = 'correct horse'

describe('auth.users with userFields', () => {
  let database: Database
  const open = (from: Database) =>
    createAuth({
      database: from,
      secret: SECRET,
      throttle: false,
      userFields: {
        role: { type: 'string', default: 'member' },
        nickname: { type: 'string', input: true, unique: true },
        level: { type: 'number' },
        birthday: { type: 'date', input: true },
        note: { type: 'string', returned: false },
        country: { type: 'string', input: true, required: true },
      },
    })
  let auth: ReturnType<typeof open>
  beforeAll(async () => {
    database = openDatabase(await emptyDatabase())
    auth = open(database)
  })
  afterAll(() => database.close())

  let count = 0
  const person = () => ({ name: 'Ada', email: `user${count++}@example.com`, password: PASSWORD, country: 'GB' })

  it('sets fields that users cannot set and applies defaults to the others', async () => {
    const user = await auth.users.create({ ...person(), role: 'admin', birthday: '1815-12-10', note: 'mine' })
    expect(user).toMatchObject({
      role: 'admin',
      country: 'GB',
      nickname: null,
      level: null,
      birthday: '1815-12-10T00:00:00.000Z',
    })
    expect(user).not.toHaveProperty('note')
    expect(await database.query('select note from "user" where id = $1', [user.id])).toEqual([{ note: 'mine' }])
    expect((await auth.users.create({ ...person(), role: undefined })).role).toBe('member')
    expect(await auth.users.update(user.id, { role: 'moderator', level: 3, birthday: null })).toMatchObject({
      role: 'moderator',
      level: 3,
      birthday: null,
      country: 'GB',
    })
  })

  it('names the field that is missing, malformed or taken', async () => {
    const { country: _country, ...without } = person()
    const refusals: [object, object][] = [
      [without, { status: 400, details: [{ code: 'REQUIRED', pointer: '/country' }] }],
      [
        { ...person(), country: undefined },
        { status: 400, details: [{ code: 'REQUIRED', pointer: '/country' }] },
      ],
      [
        { ...person(), country: null },
        { status: 400, details: [{ code: 'INVALID_VALUE', pointer: '/country' }] },
      ],
      [
        { ...person(), role: 5 },
        { status: 400, details: [{ code: 'INVALID_VALUE', pointer: '/role' }] },
      ],
      [
        { ...person(), level: 1.5 },
        { status: 400, details: [{ code: 'INVALID_VALUE', pointer: '/level' }] },
      ],
      [
        { ...person(), nickname: 'Countess' },
        { status: 422, details: [{ code: 'NOT_UNIQUE', pointer: '/nickname' }] },
      ],
    ]
    await auth.users.create({ ...person(), nickname: 'Countess' })
    for (const [input, error] of refusals)
      await expect(auth.users.create(input as ReturnType<typeof person>)).rejects.toMatchObject(error)
    const { id } = await auth.users.create(person())
    for (const [fields, pointer] of [
      [{ nickname: 'Countess' }, '/nickname'],
      [{ country: null }, '/country'],
      [{ level: '1' }, '/level'],
    ] as const)
      await expect(auth.users.update(id, fields as object)).rejects.toMatchObject({ details: [{ pointer }] })
  })
})

describe('auth.users with plugins', () => {
  let database: Database
  beforeAll(async () => {
    database = openDatabase(await emptyDatabase())
  })
  afterAll(() => database.close())

  it('runs the hooks of plugins: a banned user gets no session', async () => {
    const auth = createAuth({ database, secret: SECRET, throttle: false, plugins: [admin()] })
    const { id, email } = await auth.users.create({ name: 'Eve', email: 'eve@example.com', password: PASSWORD })
    await auth.users.update(id, { banned: true } as object)
    const route = await createBrowser(createTestApp(auth)).post('/api/auth/sign-in/email', {
      email,
      password: PASSWORD,
    })
    const { error } = await readJson(route)
    expect(error).toMatchObject({ code: 'BANNED_USER' })
    await expect(auth.users.createSession(id)).rejects.toMatchObject({ status: route.status, code: 'BANNED_USER' })
  })

  it('hides a banned user from runs until the ban ends', async () => {
    const auth = createAuth({ database, secret: SECRET, throttle: false, plugins: [admin()] })
    const { getUser } = createSessionMiddleware(auth)
    const { id } = await auth.users.create({ name: 'Dan', email: 'dan@example.com', password: PASSWORD })
    const bans = [{ banExpires: null }, { banExpires: new Date(Date.now() + 60_000) }, { banExpires: new Date(0) }]
    const found: unknown[] = []
    for (const ban of bans) {
      await auth.users.update(id, { banned: true, ...ban } as object)
      found.push((await getUser?.(id))?.id ?? null)
    }
    expect(found).toEqual([null, null, id])
  })

  it('rejects if a plugin refuses a change', async () => {
    const refuse = async (): Promise<boolean> => false
    const refusing = (hooks: object) => {
      const plugin = { id: 'refusing', init: () => ({ options: { databaseHooks: hooks } }) }
      return createAuth({ database, secret: SECRET, throttle: false, plugins: [plugin] }).users
    }
    const joe = { name: 'Joe', email: 'joe@example.com', password: PASSWORD }
    const { users } = createAuth({ database, secret: SECRET })
    const { id } = await users.create({ name: 'Bob', email: 'bob@example.com' })
    const writes = { create: { before: refuse }, update: { before: refuse }, delete: { before: refuse } }
    await users.createSession(id)
    const calls = [
      () => refusing({ user: writes }).create({ ...joe, password: undefined }),
      () => refusing({ user: writes }).create(joe),
      () => refusing({ account: writes }).create(joe),
      () => refusing({ user: writes }).update(id, { name: 'Joe' }),
      () => refusing({ account: writes }).setPassword(id, PASSWORD),
      () => refusing({ session: writes }).createSession(id),
      () => refusing({ user: writes }).delete(id),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ name: 'ApiError', status: 400 })
    expect(await users.findByEmail('joe@example.com')).toBeNull()
    expect(await database.query('select * from session where "userId" = $1', [id])).toHaveLength(1)
  })
})
