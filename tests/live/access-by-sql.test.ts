import { openDatabase, table } from '@sdk/database'
import { createApp, createResource, createRouter, type Log } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { choose } from '../chaos/mode.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`an access rule that reads another table, on ${kind}`, () => {
    it('applies within a second after SQL revokes the access, before any other row is sent', async () => {
      const database = await open(openDatabase)
      const members = createResource('members', {
        schema: z.object({ userId: z.string().max(20), teamId: z.number().int() }),
        store: table('members', { database }),
        access: 'public',
        live: true,
      })
      const boards = createResource('boards', {
        schema: z.object({ title: z.string().max(20), teamId: z.number().int() }),
        store: table('boards', { database }),
        access: async ({ user, action }) => {
          if (action === 'create') return true
          const sql = 'select team_id from members where user_id = $1'
          const rows = await database.query<{ team_id: number }>(sql, [user?.id ?? ''])
          return rows.length === 0 ? false : { teamId: rows.map((row) => row.team_id) }
        },
        live: true,
      })
      const router = createRouter().resource('v1', members).resource('v1', boards)
      const app = await testApp(createApp({ log: silent, router }))
      await app.call('POST /api/v1/members', { userId: 'ada', teamId: 1 })
      await app.call('POST /api/v1/boards', { title: 'first', teamId: 1 })
      const socket = await app.as({ name: 'ada' }).socket('/ws/_live')
      socket.send({ sub: 1, route: 'GET /api/v1/boards' })
      expect(await socket.next()).toMatchObject({ all: { data: [{ title: 'first' }] } })
      await database.query(`insert into boards (title, team_id) values ('second', 1)`)
      await socket.next((message) => JSON.stringify(message).includes('second'))
      const revokedAt = performance.now()
      await database.query('delete from members')
      await database.query(`insert into boards (title, team_id) values ('third', 1)`)
      expect(await socket.next()).toMatchObject({ sub: 1, status: 403, error: { code: 'FORBIDDEN' } })
      expect(performance.now() - revokedAt).toBeLessThan(choose(1_000, 30_000))
      await app.close()
      await database.close()
    })
  })
}
