import { openDatabase } from '@sdk/database'
import { drizzleAdapter as betterAuthAdapter } from 'better-auth/adapters/drizzle'
import { organization, twoFactor } from 'better-auth/plugins'
import { drizzle } from 'drizzle-orm/node-postgres'
import { describe, expectTypeOf, it } from 'vitest'
import { type Auth, type AuthMail, createAuth, drizzleAdapter } from './index.ts'
import { user } from './schema.ts'

const db = drizzle('postgres://db/app', { schema: { user } })
const connectionString = 'postgres://db/app'

describe('createAuth', () => {
  it('accepts Better Auth plugins', () => {
    expectTypeOf(createAuth).toBeCallableWith({ connectionString, plugins: [organization(), twoFactor()] })
    // @ts-expect-error -- a plugin factory must be called
    createAuth({ connectionString, plugins: [twoFactor] })
  })

  it('accepts a database, drizzleAdapter or the adapter of Better Auth', () => {
    expectTypeOf(createAuth).toBeCallableWith({ database: openDatabase() })
    expectTypeOf(createAuth).toBeCallableWith({ database: drizzleAdapter(db, { provider: 'pg', schema: { user } }) })
    expectTypeOf(createAuth).toBeCallableWith({ database: betterAuthAdapter(db, { provider: 'pg' }) })
    // @ts-expect-error -- only PostgreSQL
    drizzleAdapter(db, { provider: 'sqlite' })
  })

  it('passes an AuthMail with a kind to email.send', () => {
    createAuth({ connectionString, email: { send: (mail) => expectTypeOf(mail).toEqualTypeOf<AuthMail>() } })
    expectTypeOf(createAuth).toBeCallableWith({ connectionString, email: { send: async () => ({ messageId: '1' }) } })
    expectTypeOf<AuthMail['kind']>().toEqualTypeOf<'verify-email' | 'reset-password'>()
  })

  it('accepts userFields of known types only', () => {
    expectTypeOf(createAuth).toBeCallableWith({
      connectionString,
      userFields: { role: { type: 'string', default: 'member' }, age: { type: 'number', input: true } },
    })
    // @ts-expect-error -- 'text' is not a field type
    createAuth({ connectionString, userFields: { role: { type: 'text' } } })
  })

  it('accepts mcp with the pages of the app', () => {
    const pages = { loginPage: '/login', consentPage: '/consent' }
    expectTypeOf(createAuth).toBeCallableWith({ connectionString, mcp: { ...pages, registration: 'dynamic' } })
    // @ts-expect-error -- the consent page is required
    createAuth({ connectionString, mcp: { loginPage: '/login' } })
    // @ts-expect-error -- 'open' is not a kind of registration
    createAuth({ connectionString, mcp: { ...pages, registration: 'open' } })
  })

  it('returns an Auth', () => {
    expectTypeOf(createAuth({ connectionString })).toEqualTypeOf<Auth>()
  })
})
