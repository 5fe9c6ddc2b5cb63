import { type Database, openDatabase } from '@sdk/database'
import { ONE_KIND } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ADA, createBrowser, createTestApp, ORIGIN, SECRET } from '../auth-app.test.fixture.ts'
import { createAuth } from '../create-auth.ts'
import type { Auth } from '../auth.ts'

const HOUR = 3_600_000

for (const { kind, isHere, open } of ONE_KIND) {
  describe.skipIf(!isHere)(`expired sessions on ${kind}`, () => {
    let database: Database
    let auth: Auth
    let app: ReturnType<typeof createTestApp>
    beforeAll(async () => {
      database = await open(openDatabase)
      const mcp = { loginPage: '/login', consentPage: '/consent' }
      auth = createAuth({ database, secret: SECRET, baseURL: ORIGIN, mcp })
      app = createTestApp(auth)
    })
    afterAll(async () => {
      await app.close()
      await auth.close()
      await database.close()
    })

    const post = async (path: string): Promise<void> => {
      expect((await createBrowser(app).post(`/api/auth/${path}/email`, ADA)).status).toBe(200)
    }

    /** Creates sessions of Ada that ended `ago` ms ago. */
    const end = (count: number, ago: number): Promise<unknown> =>
      database.query(
        `insert into session ("id", "token", "userId", "expiresAt", "createdAt", "updatedAt")
         select $1 || n, $1 || n, u."id", now() - $2 * interval '1 ms', now(), now()
         from "user" u, generate_series(1, $3) n`,
        [`${ago} `, ago, count],
      )

    const hoursOfEnded = async (): Promise<string[]> => {
      const rows = await database.query<{ id: string }>(
        `select distinct split_part("id", ' ', 1) as id from session where "expiresAt" < now()`,
      )
      return rows.map(({ id }) => String(Number(id) / HOUR)).toSorted()
    }

    it('are deleted after a day, at a sign-in and at most once an hour', async () => {
      await post('sign-up')
      await end(2_500, 25 * HOUR)
      await end(1, 22 * HOUR)
      await database.query(`insert into "oauthClient" ("id", "clientId", "redirectUris") values ('c', 'c', '[]')`)
      await database.query(
        `insert into "oauthAccessToken" ("id", "token", "clientId", "expiresAt", "createdAt", "scopes")
         select hours, hours, 'c', now() - hours::interval, now(), '[]' from unnest(array['25 h', '22 h']) hours`,
      )
      for (const [table, columns] of [
        ['verification', `"identifier", "value"`],
        ['oauthClientAssertion', ''],
      ] as const)
        await database.query(
          `insert into "${table}" ("id", "expiresAt"${columns && `, ${columns}`})
           select hours, now() - hours::interval${columns && `, hours, ''`} from unnest(array['25 h', '22 h']) hours`,
        )
      await post('sign-in')
      expect(await hoursOfEnded()).toEqual(['22', '25'])
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR })
      await post('sign-in')
      vi.useRealTimers()
      await expect.poll(hoursOfEnded).toEqual(['22'])
      for (const table of ['oauthAccessToken', 'oauthClientAssertion', 'verification'])
        await expect.poll(() => database.query(`select "id" from "${table}"`)).toEqual([{ id: '22 h' }])
    })
  })
}
