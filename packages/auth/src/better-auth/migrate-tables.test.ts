import { type Database, openDatabase } from '@sdk/database'
import { createDatabase, hasPostgres, ONE_KIND } from '@sdk/test-kit'
import { organization, twoFactor } from 'better-auth/plugins'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestApp, SECRET, signedIn } from '../auth-app.test.fixture.ts'
import { type AuthOptions, createAuth } from '../index.ts'

for (const { kind, isHere, open } of ONE_KIND) {
  describe.skipIf(!isHere)(`auth tables on ${kind}`, () => {
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

    it('have indexes for lookups of sessions, accounts, users and verifications', async () => {
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

    it('get the tables and columns of plugins later and keep their rows', async () => {
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

    it('get back missing columns and indexes', async () => {
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
        name: 'a required column without a default is missing and the table has rows',
        before: [`alter table "user" drop column name`],
        messages: ['table "user", column "name"', 'required and has no default', 'add column "name" text;'],
      },
      {
        name: 'a column has another type',
        before: [`alter table "user" alter column image type integer using 0`],
        messages: ['table "user", column "image"', 'it is int4, but must be text', 'type text using "image"::text'],
      },
      {
        name: 'auth does not set a required column',
        before: [
          `alter table "user" add column badge text not null default 'x'`,
          `alter table "user" alter badge drop default`,
        ],
        messages: ['table "user", column "badge"', 'every insert would fail', 'alter column "badge" drop not null'],
      },
      {
        name: 'a unique column has duplicate values',
        before: [
          `alter table "user" drop constraint user_email_key`,
          `insert into "user" (id, name, email, "emailVerified") select 'twin', name, email, false from "user"`,
        ],
        messages: ['table "user", column "email"', 'several rows have the same value', 'having count(*) > 1'],
      },
      {
        name: 'a table of the project has the same name',
        before: [`drop table verification`, `create table verification (id bigint primary key, note text)`],
        messages: ['table "verification"', 'its "id" is int8, not text', 'search_path'],
      },
      {
        name: 'a table of the project has the same name and other columns',
        before: [`drop table verification`, `create table verification (id text primary key, note text)`],
        messages: ['table "verification"', 'it has none of the expected columns', 'rename it'],
      },
      {
        name: 'a view has the same name',
        before: [`drop table verification`, `create view verification as select 1 as id`],
        messages: ['table "verification"', 'it is a view', 'rename it'],
      },
    ])('stay unchanged if $name, with an error that suggests a fix', async ({ before, messages }) => {
      await signedIn(createTestApp(await start()))
      for (const statement of before) await database.query(statement)
      const seen = await layoutOf(database)
      // The tables of the plugin could be created, but a failed migration must not change anything.
      const error: unknown = await start({ plugins: [organization()] }).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Error)
      for (const text of messages) expect(String(error)).toContain(text)
      expect(await layoutOf(database)).toEqual(seen)
    })

    it('report every problem in one error', async () => {
      await start()
      await database.query(`alter table session alter "expiresAt" type text`)
      await database.query(`alter table account alter "scope" type integer using 0`)
      await expect(start()).rejects.toThrow(/"session", column "expiresAt"[^]*"account", column "scope"/)
    })

    it('are checked but not changed if autoMigrate is false', async () => {
      await expect(start({ autoMigrate: false })).rejects.toThrow(/user, .*missing.*auth\.migrate\(\)/)
      expect(await layoutOf(database)).toEqual([])
      const auth = createAuth({ database, secret: SECRET, autoMigrate: false })
      await auth.migrate()
      await auth.ready()
      await signedIn(createTestApp(auth))
      await expect(start({ autoMigrate: false, plugins: [twoFactor()] })).rejects.toThrow('user.twoFactorEnabled')
    })

    it('can be created while they are checked', async () => {
      let [found, release] = [() => {}, () => {}]
      const isChecked = new Promise<void>((resolve) => (found = resolve))
      let hold: Promise<void> | null = new Promise((resolve) => (release = resolve))
      // The first transaction is the check.
      const held = Object.assign(Object.create(database) as Database, {
        async '~transaction'(...call: Parameters<Database['~transaction']>) {
          const until = hold
          hold = null
          const result = await database['~transaction'](...call).finally(found)
          await until
          return result
        },
      })
      const auth = createAuth({ database: held, secret: SECRET, autoMigrate: false })
      await isChecked
      const ready = auth.migrate().then(auth.ready)
      await expect.poll(() => layoutOf(database)).not.toEqual([])
      setTimeout(release, 100)
      await ready
    })
  })
}

describe.skipIf(!hasPostgres())('auth tables on a PostgreSQL server', () => {
  it('can be in a different schema than the tables of a project', async () => {
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

  it('cannot be created without permission, and the error suggests autoMigrate: false', async () => {
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

/** Returns the definitions of all columns and indexes, sorted. */
async function layoutOf(database: Database): Promise<string[]> {
  const rows = await database.query<{ it: string }>(
    `select tablename || ' ' || regexp_replace(substr(indexdef, 8), 'INDEX [^ ]+', 'INDEX') it from pg_indexes where schemaname = 'public'
     union all
     select table_name || '.' || column_name || ' ' || data_type || case when is_nullable = 'NO' then ' not null' else '' end
     from information_schema.columns where table_schema = 'public' order by 1`,
  )
  return rows.map(({ it: text }) => text)
}
