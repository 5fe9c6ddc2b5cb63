import { type Database, openDatabase, table } from '@sdk/database'
import { createApp, createResource, createRouter, type Log } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { addRow, choose } from '../chaos/mode.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** The interval of the checks, which is shorter than the default in short tests, and the allowed delay after it, in ms. */
const [CHECK_MS, DELAY_MS] = choose([30_000, 1_000], [300, 30_000])

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`an access rule that reads another table, on ${kind}`, () => {
    /** Opens an app whose boards are visible to the members of their teams. The rule runs this statement. */
    async function openBoards(sql: string) {
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
          const rows = await database.query<{ team_id: number }>(sql, [user?.id ?? ''])
          return rows.length === 0 ? false : { teamId: rows.map((row) => row.team_id) }
        },
        live: true,
      })
      const plain = createApp({ log: silent, router: createRouter().resource('v1', members).resource('v1', boards) })
      plain['~live'].settings.checkMs = CHECK_MS
      const app = await testApp(plain)
      await app.call('POST /api/v1/members', { userId: 'ada', teamId: 1 })
      await app.call('POST /api/v1/boards', { title: 'first', teamId: 1 })
      await createFunction(database)
      const socket = await app.as({ name: 'ada' }).socket('/ws/_live')
      socket.send({ sub: 1, route: 'GET /api/v1/boards' })
      expect(await socket.next()).toMatchObject({ all: { data: [{ title: 'first' }] } })
      const insert = (title: string): Promise<unknown> =>
        database.query('insert into boards (title, team_id) values ($1, 1)', [title])
      await insert('second')
      await socket.next((message) => JSON.stringify(message).includes('second'))
      const close = async (): Promise<void> => {
        await app.close()
        await database.close()
      }
      return { database, socket, insert, close }
    }

    it('applies within a second after SQL revokes the access, before any other row is sent', async () => {
      const { database, socket, insert, close } = await openBoards('select team_id from members where user_id = $1')
      const revokedAt = performance.now()
      await database.query('delete from members')
      await insert('third')
      expect(await socket.next()).toMatchObject({ sub: 1, status: 403, error: { code: 'FORBIDDEN' } })
      expect(performance.now() - revokedAt).toBeLessThan(choose(1_000, 30_000))
      await close()
    })

    it('applies within the interval of the checks if a function hides the table, and no row is sent afterwards', async () => {
      const { database, socket, insert, close } = await openBoards('select team_id from teams_of($1) as team_id')
      const revokedAt = performance.now()
      await database.query('delete from members')
      const isError = (message: unknown): boolean => Object.hasOwn(message as object, 'error')
      const refusal = await socket.next(isError, { timeoutMs: CHECK_MS + DELAY_MS })
      expect(refusal).toMatchObject({ sub: 1, status: 403, error: { code: 'FORBIDDEN' } })
      const seconds = (performance.now() - revokedAt) / 1_000
      addRow({ name: `live access revoked by SQL, hidden table, ${kind}`, seconds: Math.round(seconds * 10) / 10 })
      expect(seconds * 1_000).toBeLessThan(CHECK_MS + DELAY_MS)
      for (const title of ['third', 'fourth']) await insert(title)
      await expect(socket.next(undefined, { timeoutMs: 500 })).rejects.toThrow('no message received')
      await close()
    })
  })
}

/** Creates a function that returns the teams of a user. Plans of statements that call it do not contain its table. */
async function createFunction(database: Database): Promise<void> {
  await database.query(`create function teams_of(person text) returns setof bigint language plpgsql as
    $$ begin return query select team_id from members where user_id = person; end $$`)
}
