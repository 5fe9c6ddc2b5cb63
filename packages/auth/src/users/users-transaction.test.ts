import { openDatabase, table, type Database } from '@sdk/database'
import { createApp, createLog, createResource, createRouter } from '@sdk/server'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAuth, createSessionMiddleware } from '../index.ts'

const secret = 'a secret of the tests, long enough to be one'
const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`auth inside a transaction on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    it('refuses to create users at once, and creates them before or after it', async () => {
      const auth = createAuth({ database, secret })
      await database.query('create table notes (text text)')
      const inside = database.transaction(async () => {
        await database.query(`insert into notes values ('lost')`)
        await auth.users.create(ADA)
      })
      await expect(inside).rejects.toThrow('cannot be used inside a transaction')
      expect(await database.query('select * from notes')).toEqual([])
      const { id } = await auth.users.create(ADA)
      const again = database.transaction(() => auth.users.setPassword(id, 'battery staple'))
      await expect(again).rejects.toThrow('cannot be used inside a transaction')
      expect(await auth.users.verifyPassword(ADA.email, ADA.password)).toMatchObject({ id })
      await auth.close()
    })

    it('gives the user of the request to the rules', async () => {
      const auth = createAuth({ database, secret })
      const user = (await auth.users.findByEmail(ADA.email)) ?? (await auth.users.create(ADA))
      const { token } = await auth.users.createSession(user.id)
      const tasks = createResource('tasks', {
        schema: z.object({ title: z.string() }),
        store: table('tasks', { database }),
        access: ({ user: caller }) => (caller ? { ownerId: caller.id } : false),
        assign: ({ user: caller }) => ({ ownerId: caller?.id }),
      })
      const router = createRouter()
        .use('/api/*', createSessionMiddleware(auth))
        .resource('v1', tasks)
        .on('POST /api/work', (ctx) =>
          ctx.transaction(async (tx) => {
            await tx.rows(tasks).create({ title: 'Tea' })
            return (await tx.rows(tasks).list()).data.map(({ title }) => title)
          }),
        )
      const app = createApp({ router, log: createLog({ write() {} }) })
      const headers = { authorization: `Bearer ${token}` }
      const answer = await app.fetch(new Request('http://localhost/api/work', { method: 'POST', headers }))
      expect([answer.status, await answer.json()]).toEqual([200, ['Tea']])
      await app.close()
      await auth.close()
    })
  })
}
