import { setTimeout as delay } from 'node:timers/promises'
import { createAgent, createApp, createLog, createResource, createRouter, memoryStore, type Context } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase, table } from '../index.ts'
import { rowsOf, storeOf } from './table.test.fixture.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`ctx.transaction with tables on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    /** Teams, whose members may read them, as in the guide. */
    function define(prefix: string) {
      const members = createResource('members', {
        schema: z.object({ teamId: z.number().int(), userId: z.string() }),
        store: table(`${prefix}_members`, { database }),
        access: ({ user }) => user !== null,
        unique: [['teamId', 'userId']],
      })
      const teams = createResource('teams', {
        schema: z.object({ name: z.string() }),
        store: table(`${prefix}_teams`, { database }),
        assign: ({ user }) => ({ ownerId: user?.id }),
        async access({ user, action }) {
          if (user === null || action === 'create') return user !== null
          const sql = `select team_id from ${prefix}_members where user_id = $1`
          const rows = await database.query<{ team_id: number }>(sql, [user.id])
          return { id: rows.map((row) => row.team_id) }
        },
      })
      return { members, teams }
    }

    async function start(
      prefix: string,
      work: (ctx: Context, resources: ReturnType<typeof define>) => Promise<unknown>,
    ) {
      const resources = define(prefix)
      const lines: string[] = []
      const router = createRouter()
        .resource('v1', resources.members)
        .resource('v1', resources.teams)
        .on('POST /api/work', (ctx) => work(ctx as Context, resources))
      const app = await testApp(createApp({ router, log: createLog({ write: (line) => lines.push(line) }) }))
      const ada = app.as({ name: 'Ada' })
      return { run: () => ada.call('POST /api/work', {}), lines, close: () => app.close() }
    }

    it('creates tables and columns before it begins, not inside, and its rules see its rows', async () => {
      let runs = 0
      const app = await start('fresh', (ctx, { teams, members }) =>
        ctx.transaction(async (tx) => {
          runs += 1
          const team = await tx.rows(teams).create({ name: 'Tea' })
          await tx.rows(members).create({ teamId: team.id, userId: ctx.auth?.session.userId ?? '' })
          // The rule finds the membership that was just inserted.
          const seen = await tx.rows(teams).get(team.id)
          if (runs > 1) throw new Error(`saw ${seen.name}`)
          return null
        }),
      )
      await app.run().catch(() => {})
      // The rollback has removed the rows, but neither the tables nor the column of `assign`.
      const columns = `select column_name from information_schema.columns where table_name = 'fresh_teams'`
      expect(await database.query(columns)).toContainEqual({ column_name: 'owner_id' })
      expect(await database.query('select * from fresh_teams')).toEqual([])
      expect(runs).toBeGreaterThan(1)
      expect(app.lines.join('')).toContain('saw Tea')
      await app.close()
    })

    it('prepares a table that is first used inside, and runs again', async () => {
      const fields = { title: z.string() }
      const [one, two] = [storeOf(database, 'ones', { fields }), storeOf(database, 'twos', { fields })]
      const failing = one.transaction(async () => {
        await one.create({ title: 'a' })
        await two.create({ title: 'b', ownerId: 'ada' })
        throw new Error('rolled back')
      })
      await expect(failing).rejects.toThrow('rolled back')
      expect([await rowsOf(one), await rowsOf(two)]).toEqual([[], []])
      await one.transaction(async () => {
        await Promise.all([one.create({ title: 'a' }), two.create({ title: 'b', ownerId: 'ada' })])
      })
      expect([await rowsOf(one), await rowsOf(two)]).toMatchObject([[{ title: 'a' }], [{ title: 'b' }]])
    })

    it('leaves everything that a table needs, if it is first used in a transaction that is rolled back', async () => {
      const fields = { title: z.string() }
      await storeOf(database, 'earlier', { fields }).ready()
      await database.query('drop table sdk_idempotency')
      const store = storeOf(database, 'earlier', { fields })
      const failing = database.transaction(async () => {
        await store.create({ title: 'a' })
        throw new Error('rolled back')
      })
      await expect(failing).rejects.toThrow('rolled back')
      expect(await database.query('select * from sdk_idempotency')).toEqual([])
    })

    it('changes a row again while another request waits for the row', async () => {
      const [changed, waiting] = [defer(), defer()]
      const tasks = createResource('tasks', {
        schema: z.object({ title: z.string() }),
        store: table('waited_tasks', { database }),
        access({ action, ctx }) {
          if (action === 'update' && ctx.header('x-other') !== null) waiting.resolve()
          return true
        },
      })
      const router = createRouter()
        .resource('v1', tasks)
        .on('POST /api/work', (ctx) =>
          ctx.transaction(async (tx) => {
            await tx.rows(tasks).update(1, { title: 'a' })
            changed.resolve()
            await waiting.promise
            await delay(20) // the other request takes the lock of this process, and waits for that of the database
            return tx.rows(tasks).update(1, { title: 'b' })
          }),
        )
      const app = createApp({ router, log: createLog({ write() {} }) })
      const send = async (method: string, path: string, title = ''): Promise<number> => {
        const headers = { 'content-type': 'application/json', ...(title === 'c' && { 'x-other': 'yes' }) }
        const body = title === '' ? null : JSON.stringify({ title })
        return (await app.fetch(new Request(`http://localhost/api/${path}`, { method, headers, body }))).status
      }
      expect(await send('POST', 'v1/tasks', 'new')).toBe(201)
      const work = send('POST', 'work')
      await changed.promise
      const other = send('PATCH', 'v1/tasks/1', 'c')
      expect([await work, await other]).toEqual([200, 200])
      expect(await database.query('select title, version from waited_tasks')).toEqual([{ title: 'c', version: 4 }])
      await app.close()
    })

    it('lets requests change the same rows in turn', async () => {
      const app = await start('turns', async (ctx, { teams, members }) =>
        ctx.transaction(async (tx) => {
          const userId = ctx.auth?.session.userId ?? ''
          const [team] = (await tx.rows(teams).list()).data
          if (team === undefined) {
            const { id } = await tx.rows(teams).create({ name: '' })
            return tx.rows(members).create({ teamId: id, userId })
          }
          await tx.query('select 1 from turns_teams where id = $1 for update', [team.id])
          const { name } = await tx.rows(teams).get(team.id)
          return tx.rows(teams).update(team.id, { name: `${name}x` })
        }),
      )
      await app.run()
      await Promise.all([app.run(), app.run(), app.run(), app.run()])
      expect(await database.query('select name from turns_teams')).toEqual([{ name: 'xxxx' }])
      await app.close()
    })

    it('is a savepoint in an agent that is called inside, and ctx.rows takes part', async () => {
      const { teams, members } = define('agents')
      const joining = createAgent('joining', {
        input: z.object({ teamId: z.number(), userId: z.string() }),
        handler: (ctx, input) => ctx.transaction(async () => void (await ctx.rows(members).create(input))),
      })
      const router = createRouter()
        .resource('v1', teams)
        .resource('v1', members)
        .on('POST /api/work', (ctx) =>
          ctx.transaction(async (tx) => {
            const { id } = await tx.rows(teams).create({ name: 'Tea' })
            await ctx.call(joining, { teamId: id, userId: 'a' })
            await expect(ctx.call(joining, { teamId: id, userId: 'a' })).rejects.toMatchObject({ code: 'CONFLICT' })
            await ctx.call(joining, { teamId: id, userId: 'b' })
          }),
        )
      const app = await testApp(createApp({ router, agents: [joining], log: createLog({ write() {} }) }))
      await app.as({ name: 'Ada' }).call('POST /api/work', {})
      expect(await database.query('select user_id from agents_members order by user_id')).toEqual([
        { user_id: 'a' },
        { user_id: 'b' },
      ])
      await app.close()
    })

    it('refuses stores without transactions and stores of another database, by name', async () => {
      const schema = z.object({ name: z.string() })
      const other = openDatabase('pglite://memory')
      const here = createResource('here', { schema, store: table('here', { database }), access: 'public' })
      const there = createResource('there', { schema, store: table('there', { database: other }), access: 'public' })
      const memory = createResource('memory', { schema, store: memoryStore(), access: 'public' })
      const errors: unknown[] = []
      const note = (error: unknown): void => void errors.push((error as Error).message)
      const router = createRouter()
        .resource('v1', memory)
        .resource('v1', here)
        .resource('v1', there)
        .on('POST /api/work', async (ctx) => {
          await ctx.rows(there).list()
          await ctx.transaction(async (tx) => {
            await tx.rows(here).create({ name: 'kept' })
            for (const resource of [memory, there]) await (async () => tx.rows(resource).list())().catch(note)
          })
          await ctx.transaction((tx) => tx.rows(there).create({ name: 'kept' }), { resource: there })
          await ctx.transaction(() => Promise.resolve(), { resource: memory }).catch(note)
        })
      const app = await testApp(createApp({ router, log: createLog({ write() {} }) }))
      await app.call('POST /api/work', {})
      expect(errors).toEqual([
        expect.stringMatching(/^tx\.rows\(memory\): memory cannot be part of the transaction: its store does not/),
        expect.stringMatching(/^tx\.rows\(there\): there cannot be part of the transaction: it is in another database/),
        expect.stringMatching(/^ctx\.transaction needs a mounted resource whose store .* got memory:/),
      ])
      expect(await other.query('select name from there')).toEqual([{ name: 'kept' }])
      await app.close()
      await other.close()
    })

    it('logs the statement, the position and the hint of an error of its SQL', async () => {
      const app = await start('logged', (ctx) =>
        ctx.transaction((tx) => tx.query('select\n  user_d from logged_members')),
      )
      await expect(app.run()).rejects.toMatchObject({ status: 500 })
      const { stack } = JSON.parse(app.lines.find((line) => line.includes('handler failed')) ?? '{}') as {
        stack: string
      }
      expect(stack).toContain('hint: Perhaps you meant to reference the column "logged_members.user_id"')
      expect(stack).toContain('position: line 2, column 3')
      expect(stack).toContain('statement: select\n  user_d from logged_members')
      await app.close()
    })
  })
}

function defer(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((yes) => (resolve = yes))
  return { promise, resolve }
}
