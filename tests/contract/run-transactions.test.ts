import { openDatabase, postgresRuns, table, type Database } from '@sdk/database'
import {
  createAgent,
  createApp,
  createResource,
  createRouter,
  memoryRuns,
  type App,
  type DurableContext,
  type InspectableRunStore,
  type StoredRun,
} from '@sdk/server'
import { inspectRun } from '@sdk/server/node'
import { createDatabase, DATABASE_KINDS } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { silent } from './opened-engines.ts'

const entry = z.object({ text: z.string() })

/** Opening an embedded database takes seconds on a busy machine. */

/** Returns a promise and the function that resolves it. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let resolveOpened = (): void => {}
  const opened = new Promise<void>((resolve) => (resolveOpened = resolve))
  return { opened, open: () => resolveOpened() }
}

describe.each(DATABASE_KINDS.filter(({ isHere }) => isHere))('transactions with runs on $kind', ({ kind, open }) => {
  let database: Database
  let store: InspectableRunStore
  const apps: App[] = []
  const processes: string[] = []
  beforeEach(async () => {
    database = await open(openDatabase)
    store = openStore()
  })
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()))
    await store.close()
    await database.close()
    processes.length = 0
  })

  function openStore(at = database): InspectableRunStore {
    const opened = postgresRuns({ database: at, log: silent })
    const join = opened.join.bind(opened)
    return Object.assign(opened, {
      join: (process: string, onNews: (run: string | null) => void) => (processes.push(process), join(process, onNews)),
    })
  }

  function defineChild(seen: unknown[]) {
    const entries = createResource('entries', {
      schema: entry,
      store: table('entries', { database }),
      access: 'public',
    })
    const child = createAgent('child', {
      durable: true,
      input: z.object({ text: z.string() }),
      handler: async (ctx, { text }) => {
        seen.push([text, (await ctx.rows(entries).list()).data.length])
      },
    })
    return { entries, child, router: createRouter().resource('v1', entries) }
  }

  function define(
    work: (ctx: DurableContext, definitions: ReturnType<typeof defineChild>) => unknown,
    seen: unknown[] = [],
  ) {
    const definitions = defineChild(seen)
    const parent = createAgent('parent', {
      durable: true,
      handler: async (ctx): Promise<unknown> => work(ctx as DurableContext, definitions),
    })
    return { ...definitions, parent }
  }

  async function start({ child, parent, router }: ReturnType<typeof define>, runs = store): Promise<App> {
    const app = createApp({ agents: [child, parent], router, runs, log: silent, rateLimit: false }) as App
    apps.push(app)
    await app.ready()
    await expect.poll(async () => (await app.fetch(new Request('http://x/readyz'))).status).toBe(200)
    return app
  }

  const texts = async (): Promise<unknown[]> =>
    (await database.query<{ text: string }>('select text from entries order by text')).map(({ text }) => text)

  async function untilEnded({ id }: { id: string }): Promise<StoredRun | null> {
    await expect.poll(async () => (await store.get(id))?.endedAt).not.toBeNull()
    return store.get(id)
  }

  describe('tx.start', () => {
    it('starts a run with the rows, after the commit', async () => {
      const seen: unknown[] = []
      const definitions = define(
        (ctx, { entries, child }) =>
          ctx.transaction(async (tx) => {
            await tx.rows(entries).create({ text: 'a' })
            const { id } = await tx.start(child, { text: 'one' }, { as: 'ada', at: 0 })
            const again = await tx.start(child, { text: 'two' }, { key: 'k' })
            expect(await tx.start(child, { text: 'three' }, { key: 'k' })).toEqual(again)
            // Longer than it takes to claim a run.
            await new Promise((resolve) => setTimeout(resolve, 1_300))
            expect(seen).toEqual([])
            await tx.rows(entries).create({ text: 'b' })
            return [id, again.id]
          }),
        seen,
      )
      const app = await start(definitions)
      expect(await untilEnded(await app.start(definitions.parent, null))).toMatchObject({ status: 'done', error: null })
      await expect.poll(() => seen.map(String).toSorted()).toEqual(['one,2', 'two,2'])
    })

    it('starts nothing if the transaction is rolled back', async () => {
      const [ids, invalid] = [[] as string[], [] as unknown[]]
      const definitions = define(async (ctx, { entries, child }) => {
        const attempt = ctx.transaction(async (tx) => {
          await tx.rows(entries).create({ text: 'a' })
          await tx.start(child, { text: 7 } as never).catch((error: unknown) => invalid.push(error))
          ids.push((await tx.start(child, { text: 'one' }, { key: 'k' })).id)
          throw new Error('no')
        })
        return attempt.catch(String)
      })
      const app = await start(definitions)
      const parent = await app.start(definitions.parent, null)
      expect(await untilEnded(parent)).toMatchObject({ output: '"Error: no"' })
      expect(invalid).toMatchObject([{ code: 'INVALID_REQUEST' }])
      expect(await texts()).toEqual([])
      expect(await store.get(ids[0] ?? '')).toBeNull()
      const { id } = await app.start(definitions.child, { text: 'later' }, { key: 'k' })
      expect(id).not.toBe(ids[0])
    })

    it('is required inside a transaction, in the same database', async () => {
      const errors: string[] = []
      const attempt = (work: Promise<unknown>): Promise<unknown> =>
        work.catch((error: unknown) => errors.push(String(error)))
      const definitions = define((ctx, { child }) =>
        ctx.transaction(async (tx) => {
          await attempt(tx.start(child, { text: 'one' }))
          await attempt(ctx.start(child, { text: 'two' }))
        }),
      )
      const other = openDatabase(kind === 'postgres' ? await createDatabase() : 'pglite://memory')
      const foreign = openStore(other)
      const inMemory = await start(definitions, memoryRuns())
      const elsewhere = await start(definitions, foreign)
      await inMemory.start(definitions.parent, null)
      await expect.poll(() => errors.length).toBe(1)
      await elsewhere.start(definitions.parent, null)
      await expect.poll(() => errors.length).toBe(3)
      expect(errors).toEqual([
        expect.stringContaining('tx.start(child) must store the run in the database of the transaction, but runs are'),
        expect.stringContaining('tx.start must be inside a transaction in the database of the runs'),
        expect.stringContaining('the start "child" cannot run inside a transaction'),
      ])
      await Promise.all(apps.splice(0).map((app) => app.close()))
      await foreign.close()
      await other.close()
    })
  })

  describe('a step with { transaction: true }', () => {
    it('commits rows, runs and the value of the step together', async () => {
      const seen: unknown[] = []
      let attempts = 0
      const definitions = define(async (ctx, { entries, child }) => {
        const value = await ctx.step(
          'pay',
          async ({ tx, attempt, key }) => {
            attempts += 1
            const { text } = await tx.rows(entries).create({ text: 'paid' })
            await tx.start(child, { text })
            await expect(ctx.step('inner', () => 1)).rejects.toThrow('cannot run inside')
            if (attempt === 1) throw new Error('try again')
            return { text, at: new Date(0), key }
          },
          { transaction: true },
        )
        return [value.text, value.at, value.key === `${ctx.run.id}/pay`]
      }, seen)
      const app = await start(definitions)
      const run = await untilEnded(await app.start(definitions.parent, null))
      expect(run).toMatchObject({ status: 'done', output: '["paid","1970-01-01T00:00:00.000Z",true]' })
      expect(attempts).toBe(2)
      expect(await texts()).toEqual(['paid'])
      await expect.poll(() => seen).toEqual([['paid', 1]])
      const [step] = (await inspectRun(store, run?.id ?? ''))?.steps ?? []
      expect(step).toMatchObject({ name: 'pay', kind: 'step', attempts: 2, process: processes[0] })
      // The first attempt was retried after about a second.
      expect(Date.parse(step?.endedAt ?? '') - Date.parse(step?.startedAt ?? '')).toBeGreaterThan(500)
    })

    it('writes once if the response to the commit is lost', async () => {
      let losses = 1
      const definitions = define((ctx, { entries }) =>
        ctx.step('pay', async ({ tx }) => (await tx.rows(entries).create({ text: 'paid' })).text, {
          transaction: true,
        }),
      )
      const { store: rows } = definitions.entries
      const transaction = rows.transaction?.bind(rows)
      rows.transaction = async (work, options) => {
        const result = await transaction?.(work, options)
        if (losses-- > 0) throw new Error('the connection was lost')
        return result as never
      }
      const app = await start(definitions)
      expect(await untilEnded(await app.start(definitions.parent, null))).toMatchObject({ output: '"paid"' })
      expect(losses).toBe(0)
      expect(await texts()).toEqual(['paid'])
    })

    it('needs a store in the same database', async () => {
      const definitions = define((ctx) => ctx.step('pay', () => 1, { transaction: true }))
      const app = await start(definitions, memoryRuns())
      const { id } = await app.start(definitions.parent, null)
      const read = async (): Promise<unknown> =>
        (await app.fetch(new Request(`http://x/agent/parent/runs/${id}`))).json()
      await expect.poll(read).toMatchObject({ status: 'failed' })
    })

    // An embedded database has one connection, so nothing can happen during a transaction.
    it.runIf(kind === 'postgres')('writes nothing if the run is taken over before the commit', async () => {
      const [reached, release] = [gate(), gate()]
      let executions = 0
      const definitions = define((ctx, { entries }) =>
        ctx.step(
          'pay',
          async ({ tx }) => {
            const number = (executions += 1)
            await tx.rows(entries).create({ text: `paid ${number}` })
            if (number === 1) {
              reached.open()
              await release.opened
            }
            return number
          },
          { transaction: true },
        ),
      )
      const [one] = [await start(definitions), await start(definitions)]
      const run = await one.start(definitions.parent, null)
      await reached.opened
      await store.leave(processes[0] ?? '')
      const ended = await untilEnded(run)
      release.open()
      await new Promise((resolve) => setTimeout(resolve, 200))
      // The process that has left may be the one that claims the run again, and then lose it once more.
      expect(Number(ended?.output)).toBeGreaterThan(1)
      expect(await texts()).toEqual([`paid ${ended?.output}`])
      expect(await store.stepValue(run.id, 'pay')).toBe(ended?.output)
    })

    it.runIf(kind === 'postgres')('is not taken over between its last statement and the commit', async () => {
      const [reached, release] = [gate(), gate()]
      let executions = 0
      const definitions = define((ctx, { entries }) =>
        ctx.step(
          'pay',
          async ({ tx }) => {
            await tx.rows(entries).create({ text: `paid ${(executions += 1)}` })
            return executions
          },
          { transaction: true },
        ),
      )
      const finish = store.finishInTransaction?.bind(store)
      store.finishInTransaction = async (process, step) => {
        const outcome = await finish?.(process, step)
        reached.open()
        await release.opened
        return outcome as never
      }
      const [one] = [await start(definitions), await start(definitions)]
      const run = await one.start(definitions.parent, null)
      await reached.opened
      await store.leave(processes[0] ?? '')
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      expect(await store.get(run.id)).toMatchObject({ status: 'running', epoch: 1 })
      release.open()
      expect(await untilEnded(run)).toMatchObject({ status: 'done', output: '1' })
      expect([executions, await texts()]).toEqual([1, ['paid 1']])
    })
  })
})
