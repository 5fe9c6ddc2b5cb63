import { openDatabase } from '@sdk/database'
import { drizzleAdapter as librarysOwn } from 'better-auth/adapters/drizzle'
import { organization, twoFactor } from 'better-auth/plugins'
import { drizzle } from 'drizzle-orm/node-postgres'
import { describe, expectTypeOf, it } from 'vitest'
import { type Auth, type AuthMail, createAuth, drizzleAdapter } from './index.ts'
import { user } from './schema.ts'

const db = drizzle('postgres://db/app', { schema: { user } })
const connectionString = 'postgres://db/app'

describe('createAuth', () => {
  it('takes plugins as they are', () => {
    expectTypeOf(createAuth).toBeCallableWith({ connectionString, plugins: [organization(), twoFactor()] })
    // @ts-expect-error -- a plugin is made by calling it
    createAuth({ connectionString, plugins: [twoFactor] })
  })

  it('takes a database, our adapter, or the one of the library', () => {
    expectTypeOf(createAuth).toBeCallableWith({ database: openDatabase() })
    expectTypeOf(createAuth).toBeCallableWith({ database: drizzleAdapter(db, { provider: 'pg', schema: { user } }) })
    expectTypeOf(createAuth).toBeCallableWith({ database: librarysOwn(db, { provider: 'pg' }) })
    // @ts-expect-error -- only PostgreSQL
    drizzleAdapter(db, { provider: 'sqlite' })
  })

  it('tells a mail that is to be sent from another by its kind', () => {
    createAuth({ connectionString, email: { send: (mail) => expectTypeOf(mail).toEqualTypeOf<AuthMail>() } })
    expectTypeOf(createAuth).toBeCallableWith({ connectionString, email: { send: async () => ({ messageId: '1' }) } })
    expectTypeOf<AuthMail['kind']>().toEqualTypeOf<'verify-email' | 'reset-password'>()
  })

  it('takes fields of the types that there are', () => {
    expectTypeOf(createAuth).toBeCallableWith({
      connectionString,
      userFields: { role: { type: 'string', default: 'member' }, age: { type: 'number', input: true } },
    })
    // @ts-expect-error -- PostgreSQL's name is not ours
    createAuth({ connectionString, userFields: { role: { type: 'text' } } })
  })

  it('returns what has a name', () => {
    expectTypeOf(createAuth({ connectionString })).toEqualTypeOf<Auth>()
  })
})
