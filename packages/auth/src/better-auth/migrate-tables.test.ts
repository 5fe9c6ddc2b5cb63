import { type Database, openDatabase } from '@sdk/database'
import { createDatabase, DATABASE_KINDS, hasPostgres } from '@sdk/test-kit'
import { organization, twoFactor } from 'better-auth/plugins'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestApp, SECRET, signedIn } from '../auth-app.test.fixture.ts'
import { type AuthOptions, createAuth } from '../index.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`the tables of auth on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    beforeEach(async () => {
      await database.query('drop schema public cascade')
      await database.query('create schema public')
    })
    afterAll(() => database.close())

    const start = async (options: Partial<AuthOptions> = {}): Promise<ReturnType<typeof createAuth>> => {
      const auth = createAuth({ database, secret: SECRET, ...options })
      await auth.ready()
      return auth
    }

    it('have the indexes by which sessions and accounts are found', async () => {
      await start()
      const indexes = await layoutOf(database)
      expect(indexes).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^session UNIQUE INDEX.*\(token\)/),
          expect.stringMatching(/^session INDEX.*\("userId"\)/),
          expect.stringMatching(/^account INDEX.*\("userId"\)/),
          expect.stringMatching(/^user UNIQUE INDEX.*\(email\)/),
          expect.stringMatching(/^verification INDEX.*\(identifier\)/),
        ]),
      )
    })

    it('gain those of plugins while they are in use, and keep every row', async () => {
      const browser = await signedIn(createTestApp(await start()))
      const later = createTestApp(await start({ plugins: [organization(), twoFactor()] }))
      const request = new Request('http://app.test/api/me', { headers: { cookie: browser.cookie() } })
      expect((await later.fetch(request)).status).toBe(200)
      const layout = await layoutOf(database)
      expect(layout).toEqual(
        expect.arrayContaining([
          'organization.slug text not null',
          'twoFactor.secret text not null',
          'session.activeOrganizationId text',
          'user.twoFactorEnabled boolean',
        ]),
      )
      await start({ plugins: [organization(), twoFactor()] })
      expect(await layoutOf(database)).toEqual(layout)
    })

    it('gain columns and indexes that they lost', async () => {
      await signedIn(createTestApp(await start()))
      const whole = await layoutOf(database)
      await database.query(`alter table session drop constraint session_token_key`)
      await database.query(`drop index "session_userId_idx"`)
      await database.query(`alter table "user" drop column image`)
      await start()
      expect(await layoutOf(database)).toEqual(whole)
    })

    it.each([
      {
        name: 'a required column without a default, for rows that are there',
        before: [`alter table "user" drop column name`],
        says: ['table "user", column "name"', 'required and has no default', 'add column "name" text;'],
      },
      {
        name: 'a column of another type',
        before: [`alter table "user" alter column image type integer using 0`],
        says: ['table "user", column "image"', 'it is int4, but must be text', 'type text using "image"::text'],
      },
      {
        name: 'a required column that auth would never fill',
        before: [
          `alter table "user" add column badge text not null default 'x'`,
          `alter table "user" alter badge drop default`,
        ],
        says: ['table "user", column "badge"', 'every insert would fail', 'alter column "badge" drop not null'],
      },
      {
        name: 'a column that is not unique any more',
        before: [
          `alter table "user" drop constraint user_email_key`,
          `insert into "user" (id, name, email, "emailVerified") select 'twin', name, email, false from "user"`,
        ],
        says: ['table "user", column "email"', 'several rows have the same value', 'having count(*) > 1'],
      },
      {
        name: 'a table of the project that has the name',
        before: [`drop table verification`, `create table verification (id bigint primary key, note text)`],
        says: ['table "verification"', 'its "id" is int8, not text', 'search_path'],
      },
      {
        name: 'a table of the project with other columns',
        before: [`drop table verification`, `create table verification (id text primary key, note text)`],
        says: ['table "verification"', 'it has none of the expected columns', 'rename it'],
      },
      {
        name: 'a view that has the name',
        before: [`drop table verification`, `create view verification as select 1 as id`],
        says: ['table "verification"', 'it is a view', 'rename it'],
      },
    ])('refuse $name, say what, why and the fix, and stay as they are', async ({ before, says }) => {
      await signedIn(createTestApp(await start()))
      for (const statement of before) await database.query(statement)
      const seen = await layoutOf(database)
      // Something that could be done stands beside what cannot: it is not done either.
      const error: unknown = await start({ plugins: [organization()] }).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Error)
      for (const text of says) expect(String(error)).toContain(text)
      expect(await layoutOf(database)).toEqual(seen)
    })

    it('name every mistake at once', async () => {
      await start()
      await database.query(`alter table session alter "expiresAt" type text`)
      await database.query(`alter table account alter "scope" type integer using 0`)
      await expect(start()).rejects.toThrow(/"session", column "expiresAt"[^]*"account", column "scope"/)
    })

    it('are only looked at where autoMigrate is off', async () => {
      await expect(start({ autoMigrate: false })).rejects.toThrow(/user, .*missing.*auth\.migrate\(\)/)
      expect(await layoutOf(database)).toEqual([])
      const auth = createAuth({ database, secret: SECRET, autoMigrate: false })
      await auth.migrate()
      await auth.ready()
      await signedIn(createTestApp(auth))
      await expect(start({ autoMigrate: false, plugins: [twoFactor()] })).rejects.toThrow('user.twoFactorEnabled')
    })
  })
}

describe.skipIf(!hasPostgres())('the tables of auth on a PostgreSQL server', () => {
  it('live beside those of a project in a schema of their own', async () => {
    const url = await createDatabase()
    const database = openDatabase(url)
    await database.query(`create table "user" (id bigint primary key)`)
    await database.query('create schema auth')
    const auth = createAuth({ connectionString: `${url}?options=-csearch_path%3Dauth`, secret: SECRET })
    await signedIn(createTestApp(auth))
    expect(await database.query(`select email from auth."user"`)).toEqual([{ email: 'ada@example.com' }])
    await auth.close()
    await database.close()
  })

  it('tell a user who may not create them what to do', async () => {
    const url = await createDatabase()
    const database = openDatabase(url)
    const role = `auth_reader_${Date.now()}`
    await database.query(`create role ${role} login password 'x'`)
    await database.query(`revoke create on schema public from public`)
    const limited = new URL(url)
    limited.username = role
    limited.password = 'x'
    const auth = createAuth({ connectionString: limited.href, secret: SECRET })
    await expect(auth.ready()).rejects.toThrow(/nothing was changed: permission denied.*autoMigrate: false/)
    await auth.close()
    await database.close()
  })
})

/** Columns and indexes, each as it is defined, in an order of their own. */
async function layoutOf(database: Database): Promise<string[]> {
  const rows = await database.query<{ it: string }>(
    `select tablename || ' ' || regexp_replace(substr(indexdef, 8), 'INDEX [^ ]+', 'INDEX') it from pg_indexes where schemaname = 'public'
     union all
     select table_name || '.' || column_name || ' ' || data_type || case when is_nullable = 'NO' then ' not null' else '' end
     from information_schema.columns where table_schema = 'public' order by 1`,
  )
  return rows.map(({ it: text }) => text)
}
