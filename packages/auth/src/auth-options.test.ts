import { randomBytes } from 'node:crypto'
import { openDatabase } from '@sdk/database'
import { describe, expect, it } from 'vitest'
import { type AuthOptions, resolveAuthOptions } from './auth-options.ts'
import { createAuth } from './create-auth.ts'

const SECRET = 'a secret of the tests, long enough to be one'
const GOOD: AuthOptions = { connectionString: 'postgres://db/app', secret: SECRET, baseURL: 'https://app.example.com' }
const PRODUCTION = { NODE_ENV: 'production' }

describe('createAuth', () => {
  it.each([{}, { connectionString: undefined }, { connectionString: 'pglite://memory', database: () => ({}) }])(
    'throws unless exactly one of connectionString and database is set: %o',
    (options) => {
      expect(() => createAuth({ secret: SECRET, ...options })).toThrow(TypeError)
      expect(() => createAuth({ secret: SECRET, ...options })).toThrow(/connectionString or a database/)
    },
  )

  it('throws if the connection string is empty or has an unsupported protocol', () => {
    expect(() => createAuth({ connectionString: '', secret: SECRET })).toThrow(/String is empty.*DATABASE_URL/)
    expect(() => createAuth({ connectionString: 'mysql://db', secret: SECRET })).toThrow('postgres://')
  })
})

describe('resolveAuthOptions', () => {
  it('accepts a database or an adapter', async () => {
    const database = openDatabase('pglite://memory')
    const adapter = () => ({})
    expect(resolveAuthOptions({ database, secret: SECRET }, {}).source).toEqual({ database })
    expect(resolveAuthOptions({ database: adapter, secret: SECRET }, {}).source).toEqual({ adapter })
    await database.close()
  })

  it('rejects the embedded database in production unless DATABASE_URL names it', () => {
    const options = { ...GOOD, connectionString: 'pglite://.sdk/data' }
    expect(() => resolveAuthOptions(options, PRODUCTION)).toThrow('DATABASE_URL=postgres://')
    const withUrl = { ...PRODUCTION, DATABASE_URL: 'pglite://.sdk/data' }
    expect(resolveAuthOptions(options, withUrl).source).toEqual({ url: 'pglite://.sdk/data' })
    expect(resolveAuthOptions(options, {}).source).toEqual({ url: 'pglite://.sdk/data' })
  })

  it.each([
    '',
    'short',
    'better-auth-secret-12345678901234567890',
    'a'.repeat(64),
    '0123456789abcdef0123456789abcdef',
    '12345678901234567890123456789012',
    'change-me-change-me-change-me-change-me',
    'aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccc1',
  ])('rejects %j as a secret in production without repeating it in the error', (secret) => {
    const resolve = (): unknown => resolveAuthOptions({ ...GOOD, secret }, PRODUCTION)
    expect(resolve).toThrow('AUTH_SECRET')
    expect(resolve).not.toThrow(secret === '' ? 'nothing to repeat' : secret)
  })

  it('accepts any random secret of at least 32 characters', () => {
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      for (let size = 24; size < 64; size++) {
        const secret = randomBytes(size).toString(encoding)
        expect(resolveAuthOptions({ ...GOOD, secret }, PRODUCTION).secret).toBe(secret)
      }
  })

  it('requires no secret or base URL while a project is inspected', () => {
    const env = { ...PRODUCTION, SDK_PHASE: 'inspect' }
    expect(resolveAuthOptions({ connectionString: 'pglite://memory' }, env).baseURL).toBeNull()
  })

  it('requires a secret and a base URL in production and reads both from the environment', () => {
    const { connectionString } = GOOD
    expect(() => resolveAuthOptions({ connectionString, secret: SECRET }, PRODUCTION)).toThrow('AUTH_URL')
    expect(() => resolveAuthOptions({ connectionString, baseURL: 'https://a.b' }, PRODUCTION)).toThrow('AUTH_SECRET')
    const env = { ...PRODUCTION, AUTH_SECRET: SECRET, AUTH_URL: 'https://a.b/' }
    expect(resolveAuthOptions({ connectionString }, env)).toMatchObject({ secret: SECRET, baseURL: 'https://a.b' })
  })

  it.each(['*', 'https://*.example.com', 'https://a.b/path', 'a.b', 'https://a.b?', 'javascript:alert(1)'])(
    'rejects %j as an origin',
    (origin) => {
      expect(() => resolveAuthOptions({ ...GOOD, trustedOrigins: [origin] }, {})).toThrow('trustedOrigins')
      expect(() => resolveAuthOptions({ ...GOOD, baseURL: origin }, {})).toThrow('baseURL')
    },
  )

  it.each(['api/auth', '/', '/api/auth/', '//auth', '/api/*', '/api/..', '/./auth', '/api/%2e'])(
    'rejects %j as a base path',
    (basePath) => {
      expect(() => resolveAuthOptions({ ...GOOD, basePath }, {})).toThrow('basePath')
    },
  )

  it.each([
    [{ trustedOrigins: 'https://a.b' }, 'trustedOrigins'],
    [{ trustedProxies: ['10.0.0.0/33'] }, 'trustedProxies'],
    [{ trustedProxies: ['proxy.internal'] }, 'trustedProxies'],
    [{ trustedProxies: '10.0.0.1' }, 'trustedProxies'],
    [{ sessionCacheMs: -1 }, 'sessionCacheMs'],
    [{ sessionCacheMs: Number.NaN }, 'sessionCacheMs'],
    [{ sessionCacheMs: '5s' }, 'sessionCacheMs'],
    [{ plugins: [() => ({})] }, /plugins.*call it/],
    [{ plugins: [null] }, 'plugins'],
    [{ plugins: [{ id: 'a' }, { id: 'a' }] }, /plugins.*two plugins with the id "a"/],
    [{ plugins: [{ id: 'sdk' }] }, 'plugins'],
    [{ email: { send: 'smtp://' } }, 'email.send'],
    [{ email: { resetPath: 'https://evil.example' } }, 'email.resetPath'],
    [{ userFields: { 'bad name': { type: 'string' } } }, 'userFields.bad name'],
    [{ userFields: { emailVerified: { type: 'boolean' } } }, /userFields\.emailVerified.*reserved/],
    [{ userFields: { password: { type: 'string' } } }, 'userFields.password'],
    [{ userFields: { role: { type: 'text' } } }, /userFields\.role.*"text"/],
    [{ userFields: { role: { type: 'string', default: 5 } } }, /userFields\.role.*5/],
    [{ userFields: { age: { type: 'number', default: 1.5 } } }, /userFields\.age.*1\.5/],
    [{ userFields: { role: { type: 'string', required: true } } }, /userFields\.role.*no user could sign up/],
    [{ userFields: { code: { type: 'string', default: 'a', unique: true } } }, /userFields\.code.*unique/],
  ])('throws a TypeError that names the invalid option: %o', (options, message) => {
    const resolve = (): unknown => resolveAuthOptions({ ...GOOD, ...options } as AuthOptions, {})
    expect(resolve).toThrow(TypeError)
    expect(resolve).toThrow(message)
  })

  it('requires email.send in production if email addresses must be verified', () => {
    expect(resolveAuthOptions(GOOD, {}).email.send).toBeTypeOf('function')
    expect(resolveAuthOptions(GOOD, PRODUCTION).email.send).toBeNull()
    const email = { requireVerification: true }
    expect(resolveAuthOptions({ ...GOOD, email }, {}).email).toMatchObject(email)
    expect(() => resolveAuthOptions({ ...GOOD, email }, PRODUCTION)).toThrow(/requireVerification.*email\.send/)
    expect(resolveAuthOptions({ ...GOOD, email: { ...email, send: () => {} } }, PRODUCTION).email).toMatchObject(email)
  })
})
