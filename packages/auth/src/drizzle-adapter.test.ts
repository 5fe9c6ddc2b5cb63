import { type Database, openDatabase } from '@sdk/database'
import { DATABASE_KINDS, emptyDatabase, hasPostgres, startPostgres } from '@sdk/test-kit'
import { twoFactor } from 'better-auth/plugins'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { getTableConfig, pgTable, text } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import {
  ADA,
  createBrowser,
  createTestApp,
  getToken,
  ORIGIN,
  readJson,
  SECRET,
  signedIn,
} from './auth-app.test.fixture.ts'
import { createAuth, drizzleAdapter } from './index.ts'
import * as schema from './schema.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`drizzleAdapter on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    beforeEach(async () => {
      await database.query('drop schema public cascade')
      await database.query('create schema public')
    })
    afterAll(() => database.close())

    it.each([
      ['of the schema in drizzle(…)', () => drizzleAdapter(drizzle(database.pool, { schema }), { provider: 'pg' })],
      ['of the schema in its options', () => drizzleAdapter(drizzle(database.pool), { provider: 'pg', schema })],
      ['of @sdk/auth/schema', () => drizzleAdapter(drizzle(database.pool), { provider: 'pg' })],
    ])('stores users in the tables %s', async (_, adapter) => {
      await makeTables(database)
      const auth = createAuth({ database: adapter(), secret: SECRET })
      await auth.ready()
      const app = createTestApp(auth)
      const browser = await signedIn(app)
      const { token } = await getToken(browser)
      const asBearer = { headers: { authorization: `Bearer ${token}` } }
      expect((await app.fetch(new Request(`${ORIGIN}/api/me`, asBearer))).status).toBe(200)
      expect(await readJson(await browser.get('/api/me'))).toMatchObject({ user: { name: 'Ada', image: null } })

      const users = await drizzle(database.pool).select().from(schema.user).where(eq(schema.user.email, ADA.email))
      expect(users).toMatchObject([{ name: 'Ada', emailVerified: false, image: null, createdAt: expect.any(Date) }])
      expect((await browser.post('/api/auth/sign-up/email', ADA)).status).toBe(422)
      expect((await browser.post('/api/auth/sign-out', {})).status).toBe(200)
      expect((await app.fetch(new Request(`${ORIGIN}/api/me`, asBearer))).status).toBe(401)
      await auth.close()
      // auth.close() leaves a database open that the caller opened.
      expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    })

    it('shares users with tables that createAuth created', async () => {
      const own = createTestApp(createAuth({ database, secret: SECRET }))
      const browser = await signedIn(own)
      const adapter = drizzleAdapter(drizzle(database.pool), { provider: 'pg' })
      const other = createTestApp(createAuth({ database: adapter, secret: SECRET }))
      const request = (): Request => new Request(`${ORIGIN}/api/me`, { headers: { cookie: browser.cookie() } })
      expect((await other.fetch(request())).status).toBe(200)
      const grace = { ...ADA, name: 'Grace', email: 'grace@example.com' }
      expect((await createBrowser(other).post('/api/auth/sign-up/email', grace)).status).toBe(200)
      expect((await createBrowser(own).post('/api/auth/sign-in/email', grace)).status).toBe(200)
    })

    it('throws an error with a fix, and creates no tables, if tables are missing', async () => {
      const auth = createAuth({
        database: drizzleAdapter(drizzle(database.pool, { schema }), { provider: 'pg' }),
        secret: SECRET,
      })
      await expect(auth.ready()).rejects.toThrow(
        /relation "user" does not exist[^]*relation "verification" does not exist[^]*drizzle-kit/,
      )
      await expect(auth.migrate()).rejects.toThrow('your own migrations')
      expect(await database.query(`select 1 from pg_tables where schemaname = 'public'`)).toEqual([])
      await makeTables(database)
      await auth.ready()
    })

    it('throws if a column is missing in the database', async () => {
      await makeTables(database)
      await database.query('alter table "user" drop column image')
      const adapter = drizzleAdapter(drizzle(database.pool), { provider: 'pg' })
      await expect(createAuth({ database: adapter, secret: SECRET }).ready()).rejects.toThrow(
        /column .*image.* does not exist[^]*Fix:/,
      )
    })

    it('throws if the schema lacks the tables and columns of a plugin', async () => {
      await makeTables(database)
      const adapter = drizzleAdapter(drizzle(database.pool), { provider: 'pg' })
      const auth = createAuth({ database: adapter, secret: SECRET, plugins: [twoFactor()] })
      await expect(auth.ready()).rejects.toThrow(
        /table user in the schema has no column twoFactorEnabled[^]*no table twoFactor[^]*Fix:/,
      )
    })
  })
}

describe.skipIf(!hasPostgres())('drizzleAdapter on a PostgreSQL server', () => {
  it('returns 503 while the server is down, at startup and later, and recovers', async () => {
    const server = await startPostgres()
    const database = openDatabase(server.url)
    await makeTables(database)
    const start = (): ReturnType<typeof createTestApp> =>
      createTestApp(
        createAuth({ database: drizzleAdapter(drizzle(database.pool), { provider: 'pg' }), secret: SECRET }),
      )
    const early = start()
    const browser = await signedIn(early)
    const request = (): Request => new Request(`${ORIGIN}/api/me`, { headers: { cookie: browser.cookie() } })
    await server.kill()
    const late = start()
    expect((await late.fetch(request())).status).toBe(503)
    const signIn = await createBrowser(early).post('/api/auth/sign-in/email', ADA)
    expect(signIn.status).toBe(503)
    await server.start()
    expect((await late.fetch(request())).status).toBe(200)
    expect((await early.fetch(request())).status).toBe(200)
    await database.close()
    await server.stop()
  })
})

describe('drizzleAdapter', () => {
  it('throws if db is not a Drizzle database or the provider is not pg', () => {
    expect(() => drizzleAdapter(undefined as never, { provider: 'pg' })).toThrow(TypeError)
    expect(() => drizzleAdapter({} as never, { provider: 'pg' })).toThrow('drizzle(…)')
    const db = { select: () => {}, transaction: () => {} }
    expect(() => drizzleAdapter(db, { provider: 'mysql' } as never)).toThrow("provider: 'pg'")
  })
})

describe('@sdk/auth/schema', () => {
  it('has the same columns, types, keys and indexes as the tables of createAuth', async () => {
    const database = openDatabase(await emptyDatabase())
    await makeTables(database)
    for (const table of [schema.user, schema.session, schema.account, schema.verification])
      expect(describeTable(table)).toEqual(await readTable(database, getTableConfig(table).name))
    await database.close()
  })

  it('infers the types of its rows', () => {
    expectTypeOf<typeof schema.user.$inferSelect>().toEqualTypeOf<{
      id: string
      name: string
      email: string
      emailVerified: boolean
      image: string | null
      createdAt: Date
      updatedAt: Date
    }>()
    expectTypeOf<typeof schema.session.$inferInsert>().toMatchTypeOf<{ createdAt?: Date | undefined; token: string }>()
    // Tables of a project can reference it.
    const note = pgTable('note', { ownerId: text().references(() => schema.user.id) })
    expect(getTableConfig(note).foreignKeys).toHaveLength(1)
  })
})

interface TableFacts {
  readonly columns: readonly string[]
  readonly indexes: readonly string[]
  readonly keys: readonly string[]
}

function describeTable(table: Parameters<typeof getTableConfig>[0]): TableFacts {
  const { name, columns, indexes, foreignKeys } = getTableConfig(table)
  const unique = columns.filter(({ isUnique }) => isUnique).map((column) => `${column.uniqueName} (${column.name})`)
  const plain = indexes.map(({ config }) => {
    return `${config.name} (${config.columns.map((column) => ('name' in column ? column.name : '')).join()})`
  })
  const keys = foreignKeys.map((key) => {
    const { columns: from, foreignColumns: to } = key.reference()
    return `${key.getName()} ${from[0]?.name} ${to[0]?.table === schema.user ? 'user' : ''} ${to[0]?.name} ${key.onDelete}`
  })
  const facts = columns.map(
    (column) =>
      `${column.name} ${column.getSQLType()}${column.notNull ? ' not null' : ''}${column.hasDefault ? ' default' : ''}`,
  )
  return { columns: facts, indexes: [`${name}_pkey (id)`, ...unique, ...plain].toSorted(), keys }
}

async function readTable(database: Database, name: string): Promise<TableFacts> {
  const [facts] = await database.query<TableFacts>(
    `select
      (select jsonb_agg(column_name || ' ' || data_type || case is_nullable when 'NO' then ' not null' else '' end
        || case when column_default is null then '' else ' default' end order by ordinal_position)
        from information_schema.columns where table_schema = 'public' and table_name = $1) columns,
      (select jsonb_agg(indexname || ' (' || replace(substring(indexdef from '\\((.*)\\)'), '"', '') || ')' order by indexname collate "C")
        from pg_indexes where schemaname = 'public' and tablename = $1) indexes,
      (select coalesce(jsonb_agg(conname || ' userId user id cascade'), '[]') from pg_constraint
        where contype = 'f' and conrelid = quote_ident($1)::regclass and confrelid = '"user"'::regclass and confdeltype = 'c') keys`,
    [name],
  )
  if (!facts) throw new Error(`no table ${name}`)
  return facts
}

/** Creates the tables, as migrations of a project would. */
async function makeTables(database: Database): Promise<void> {
  await createAuth({ database, secret: SECRET }).ready()
}
