import type { Page } from '@sdk/protocol'
import { createRouter, type Reference, type RoutesOf, type User } from '@sdk/server'
import { describe, expectTypeOf, it } from 'vitest'
import {
  type Auth,
  type AuthOptions,
  createAuth,
  createSessionMiddleware,
  mountAuthRoutes,
  type SignUpInput,
} from '../index.ts'

const connectionString = 'postgres://db/app'

const FIELDS = {
  role: { type: 'string', default: 'member' },
  level: { type: 'number', input: true },
  birthday: { type: 'date', required: true, input: true },
  isPublic: { type: 'boolean', default: false, required: false },
  note: { type: 'string', returned: false },
} as const
const auth = createAuth({ connectionString, userFields: FIELDS })
const { users } = auth
declare const options: AuthOptions
const person = { name: 'Ada', email: 'ada@example.com' }

describe('mountAuthRoutes', () => {
  it('includes the sign-up fields in the type of its route', () => {
    const _router = createRouter().on('GET|POST /api/auth/*', mountAuthRoutes(auth))
    type Input = RoutesOf<typeof _router>['POST /api/auth/*']['~io']['input']
    expectTypeOf<NonNullable<NonNullable<Input>['~signUp']>>().toEqualTypeOf<SignUpInput<typeof FIELDS>>()
    const account = { ...person, password: 'secret password', birthday: '1815-12-10' }
    expectTypeOf(account).toExtend<SignUpInput<typeof FIELDS>>()
    expectTypeOf({ ...account, level: 3 }).toExtend<SignUpInput<typeof FIELDS>>()
    expectTypeOf({ ...account, level: 'x' }).not.toExtend<SignUpInput<typeof FIELDS>>()
    expectTypeOf({ ...person, password: 'x' }).not.toExtend<SignUpInput<typeof FIELDS>>()
    // Users cannot set the role.
    expectTypeOf<keyof SignUpInput<typeof FIELDS>>().toEqualTypeOf<
      'name' | 'email' | 'password' | 'birthday' | 'level'
    >()
  })
})

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

  it('accepts the declared fields and requires those without a default', () => {
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

describe('auth.profiles', () => {
  it('is a target of references, with an action', () => {
    const to = auth.profiles({ fields: ['name'] })
    expectTypeOf({ to, onDelete: 'cascade' as const }).toExtend<Reference>()
    expectTypeOf({ to }).not.toExtend<Reference>()
    expectTypeOf({ to: auth, onDelete: 'cascade' as const }).not.toExtend<Reference>()
  })
})
