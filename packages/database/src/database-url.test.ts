import { describe, expect, it } from 'vitest'
import { defaultDatabaseUrl, parseDatabaseUrl } from './database-url.ts'
import { openDatabase } from './open-database.ts'

describe('parseDatabaseUrl', () => {
  it.each([
    ['pglite://memory', { kind: 'pglite', directory: null }],
    ['pglite://.sdk/data', { kind: 'pglite', directory: '.sdk/data' }],
    ['pglite:///var/lib/app', { kind: 'pglite', directory: '/var/lib/app' }],
    ['postgres://a:b@host:5432/name', { kind: 'postgres', connectionString: 'postgres://a:b@host:5432/name' }],
    ['postgresql://host/name', { kind: 'postgres', connectionString: 'postgresql://host/name' }],
  ])('parses %s', (url, target) => {
    expect(parseDatabaseUrl(url)).toEqual(target)
  })

  it.each(['', 'memory', 'pglite:', 'pglite://', 'mysql://root:secret@host/name', 'postgres://host:port/name'])(
    'throws an error with the supported URLs for %j',
    (url) => {
      expect(() => openDatabase(url)).toThrow(TypeError)
      expect(() => openDatabase(url)).toThrow('pglite://memory')
    },
  )

  it.each([
    ['mysql://root:secret@host/name', 'got mysql://…'],
    ['"postgres://root:secret@host/name"', 'got "postgres://…'], // from docker --env-file, which keeps the quotes
    [' postgres://root:secret@host/name', 'got  postgres://…'],
    ['root:secret@host/name', 'got root:…'],
    ['//root:secret@host/name', 'got a value without a scheme'],
  ])('does not expose the password of %j', (url, shown) => {
    expect(() => parseDatabaseUrl(url)).toThrow(/^(?!.*secret)/)
    expect(() => parseDatabaseUrl(url)).toThrow(shown)
  })
})

describe('defaultDatabaseUrl', () => {
  it('returns DATABASE_URL, or the embedded database of the project', () => {
    expect(defaultDatabaseUrl({ DATABASE_URL: 'postgres://host/name' })).toBe('postgres://host/name')
    expect(defaultDatabaseUrl({ DATABASE_URL: '' })).toBe('pglite://.sdk/data')
  })

  it('never falls back to the embedded database in production', () => {
    expect(() => defaultDatabaseUrl({ NODE_ENV: 'production' })).toThrow('DATABASE_URL')
  })
})
