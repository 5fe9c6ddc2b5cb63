import { openDatabase } from '@sdk/database'
import { describe, expect, it } from 'vitest'
import { type AuthOptions, resolveAuthOptions } from './auth-options.ts'
import { createAuth } from './create-auth.ts'

const SECRET = 'a secret of the tests, long enough to be one'
const GOOD: AuthOptions = { connectionString: 'pglite://memory', secret: SECRET, baseURL: 'https://app.example.com' }
const PRODUCTION = { NODE_ENV: 'production' }

describe('createAuth', () => {
  it.each([{}, { connectionString: undefined }, { connectionString: 'pglite://memory', database: () => ({}) }])(
    'wants exactly one of connectionString and database: %o',
    (options) => {
      expect(() => createAuth({ secret: SECRET, ...options })).toThrow(TypeError)
      expect(() => createAuth({ secret: SECRET, ...options })).toThrow(/connectionString or a database/)
    },
  )

  it('refuses an empty connection string at once', () => {
    expect(() => createAuth({ connectionString: '', secret: SECRET })).toThrow(TypeError)
  })
})

describe('resolveAuthOptions', () => {
  it('takes a database, or an adapter', async () => {
    const database = openDatabase('pglite://memory')
    const adapter = () => ({})
    expect(resolveAuthOptions({ database, secret: SECRET }, {}).source).toEqual({ database })
    expect(resolveAuthOptions({ database: adapter, secret: SECRET }, {}).source).toEqual({ adapter })
    await database.close()
  })

  it.each(['', 'short', 'better-auth-secret-12345678901234567890'])(
    'refuses %j as a secret in production',
    (secret) => {
      expect(() => resolveAuthOptions({ ...GOOD, secret }, PRODUCTION)).toThrow('AUTH_SECRET')
    },
  )

  it('asks for nothing while the project is only looked at', () => {
    const env = { ...PRODUCTION, SDK_PHASE: 'inspect' }
    expect(resolveAuthOptions({ connectionString: 'pglite://memory' }, env).baseURL).toBeNull()
  })

  it('wants secret and base URL in production, and takes both from the environment', () => {
    const { connectionString } = GOOD
    expect(() => resolveAuthOptions({ connectionString, secret: SECRET }, PRODUCTION)).toThrow('AUTH_URL')
    expect(() => resolveAuthOptions({ connectionString, baseURL: 'https://a.b' }, PRODUCTION)).toThrow('AUTH_SECRET')
    const env = { ...PRODUCTION, AUTH_SECRET: SECRET, AUTH_URL: 'https://a.b/' }
    expect(resolveAuthOptions({ connectionString }, env)).toMatchObject({ secret: SECRET, baseURL: 'https://a.b' })
  })

  it.each(['*', 'https://*.example.com', 'https://a.b/path', 'a.b', 'https://a.b?', 'javascript:alert(1)'])(
    'refuses %j as an origin',
    (origin) => {
      expect(() => resolveAuthOptions({ ...GOOD, trustedOrigins: [origin] }, {})).toThrow('trustedOrigins')
      expect(() => resolveAuthOptions({ ...GOOD, baseURL: origin }, {})).toThrow('baseURL')
    },
  )

  it.each(['api/auth', '/', '/api/auth/', '//auth', '/api/*'])('refuses %j as a base path', (basePath) => {
    expect(() => resolveAuthOptions({ ...GOOD, basePath }, {})).toThrow('basePath')
  })
})
