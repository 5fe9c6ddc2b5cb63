import type { Page } from '@sdk/protocol'
import type { User } from '@sdk/server'
import { describe, expectTypeOf, it } from 'vitest'
import { type Auth, type AuthOptions, createAuth, createSessionMiddleware } from '../index.ts'

const connectionString = 'postgres://db/app'

const auth = createAuth({
  connectionString,
  userFields: {
    role: { type: 'string', default: 'member' },
    level: { type: 'number', input: true },
    birthday: { type: 'date', required: true, input: true },
    isPublic: { type: 'boolean', default: false, required: false },
    note: { type: 'string', returned: false },
  },
})
const { users } = auth
declare const options: AuthOptions
const person = { name: 'Ada', email: 'ada@example.com' }

describe('auth.users', () => {
  it('returns users with the declared fields', async () => {
    const user = await users.create({ ...person, birthday: '1815-12-10' })
    expectTypeOf(user).toExtend<User>()
    expectTypeOf(user.role).toEqualTypeOf<string>()
    expectTypeOf(user.level).toEqualTypeOf<number | null>()
    expectTypeOf(user.birthday).toEqualTypeOf<string>()
    expectTypeOf(user.isPublic).toEqualTypeOf<boolean | null>()
    expectTypeOf(user['note']).toEqualTypeOf<unknown>()
    expectTypeOf(users.get).returns.resolves.toEqualTypeOf<typeof user | null>()
    expectTypeOf(users.list).returns.resolves.toEqualTypeOf<Page<typeof user>>()
    expectTypeOf(users.verifyPassword).returns.resolves.toEqualTypeOf<typeof user>()
  })

  it('takes the declared fields, and requires those that have no default', () => {
    expectTypeOf(users.create).toBeCallableWith({ ...person, birthday: '1815-12-10', role: 'admin', level: null })
    expectTypeOf(users.create).toBeCallableWith({ ...person, birthday: '1815-12-10', password: undefined, note: 'x' })
    // @ts-expect-error -- birthday is missing
    void users.create(person)
    // @ts-expect-error -- a role is text
    void users.create({ ...person, birthday: '1815-12-10', role: 5 })
    // @ts-expect-error -- no such field
    void users.create({ ...person, birthday: '1815-12-10', rolle: 'admin' })
    expectTypeOf(users.update).toBeCallableWith('id', { role: 'admin' })
    // @ts-expect-error -- a role is never null
    void users.update('id', { role: null })
    // @ts-expect-error -- setPassword sets it
    void users.update('id', { password: 'correct horse' })
  })

  it('is part of every auth instance', () => {
    expectTypeOf(auth).toExtend<Auth>()
    expectTypeOf(createSessionMiddleware).toBeCallableWith(auth)
    const plain = createAuth({ connectionString })
    expectTypeOf(plain.users.create).toBeCallableWith({ ...person, password: 'correct horse' })
    // @ts-expect-error -- no such field
    void plain.users.create({ ...person, role: 'admin' })
    expectTypeOf(createAuth(options)).toExtend<Auth>()
  })
})
