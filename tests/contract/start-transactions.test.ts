import { openDatabase, postgresRuns, table, type Database } from '@sdk/database'
import { createAgent, createApp, createResource, createRouter, type Agent, type App, type RunStore } from '@sdk/server'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { silent } from './opened-engines.ts'

const OPTIONS = { as: 'ada', thread: 't' }

describe.each(DATABASE_KINDS.filter(({ isHere }) => isHere))('tx.start on $kind', ({ kind, open }) => {
  let database: Database
  let store: RunStore
  const apps: App[] = []
  beforeEach(async () => {
    database = await open(openDatabase)
    store = postgresRuns({ database, log: silent })
  })
  afterEach(async () => {
    await apps.pop()?.close()
    await store.close()
    await database.close()
  })

  async function output(id: string): Promise<unknown> {
    await expect.poll(async () => (await store.get(id))?.endedAt).not.toBeNull()
    return JSON.parse((await store.get(id))?.output ?? 'null')
  }

  async function start(agents: readonly Agent[]): Promise<App> {
    const schema = z.object({ text: z.string() })
    const entries = createResource('entries', { schema, store: table('entries', { database }), access: 'public' })
    const router = createRouter().resource('v1', entries)
    const app = createApp({ agents, router, runs: store, log: silent, rateLimit: false }) as App
    apps.push(app)
    await app.ready()
    return app
  }

  it.each(['queue', 'replace'] as const)('obeys busy: %s', async (busy) => {
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const slow = createAgent('slow', {
      durable: { busy },
      input: z.string(),
      state: z.array(z.string()).default([]),
      async handler(ctx, name) {
        if (name === 'one') await released
        ctx.thread?.state.push(name)
        return ctx.thread?.state
      },
    })
    const parent = createAgent('parent', {
      durable: true,
      async handler(ctx) {
        const attempt = ctx.transaction(async (tx) => {
          await tx.start(slow, 'no', OPTIONS)
          throw new Error('rolled back')
        })
        await attempt.catch(String)
        return ctx.transaction((tx) => tx.start(slow, 'two', OPTIONS))
      },
    })
    const app = await start([parent, slow])
    const first = await app.start(slow, 'one', OPTIONS)
    const second = (await output((await app.start(parent, null)).id)) as { id: string }
    if (busy === 'queue') release()
    expect(await output(second.id)).toEqual(busy === 'queue' ? ['one', 'two'] : ['two'])
    expect(await store.get(first.id)).toMatchObject({ status: busy === 'queue' ? 'done' : 'cancelled' })
    const own = { agent: 'slow', of: { userId: 'ada' }, thread: 't', limit: 9, after: null }
    expect(await store.list(own)).toHaveLength(2)
  })

  it('starts only the runs of savepoints that are not rolled back', async () => {
    const seen: string[] = []
    const child = createAgent('child', {
      durable: true,
      input: z.string(),
      handler: (_ctx, name) => void seen.push(name),
    })
    const parent = createAgent('parent', {
      durable: true,
      handler: (ctx) =>
        ctx.transaction(async (tx) => {
          await tx.start(child, 'one')
          await ctx.transaction((inner) => inner.start(child, 'two'))
          const failed = ctx.transaction(async (inner) => {
            await inner.start(child, 'three')
            throw new Error('no')
          })
          await failed.catch(() => {})
        }),
    })
    const app = await start([parent, child])
    await output((await app.start(parent, null)).id)
    await expect.poll(() => seen.toSorted()).toEqual(['one', 'two'])
    expect(await database.query('select from sdk_runs')).toHaveLength(3)
  })

  it('rolls the transaction back if the user has too many unfinished runs', async () => {
    const child = createAgent('child', { durable: true, handler: () => null })
    const parent = createAgent('parent', {
      durable: true,
      handler(ctx) {
        const attempt = ctx.transaction(async (tx) => {
          await tx.query(`insert into entries (text) values ('a')`)
          await tx.start(child, null, { as: 'ada', at: '1d' })
          return 'committed'
        })
        return attempt.catch((error: { code: string; status: number }) => [error.code, error.status])
      },
    })
    const app = await start([parent, child])
    await app.fetch(new Request('http://localhost/api/v1/entries')) // creates the table
    await store.ready()
    await database.query(`insert into sdk_runs (id, agent, user_id, caller, print, address, is_stream, keep_for, status,
      epoch, due_at) select 'x' || place, 'child', 'ada', 'user ada', '', '', false, 1, 'queued', 0, now() + interval '1d'
      from generate_series(1, 999) as place`)
    expect(await output((await app.start(parent, null)).id)).toBe('committed')
    expect(await output((await app.start(parent, null)).id)).toEqual(['TOO_MANY_RUNS', 429])
    expect(await database.query('select from entries')).toHaveLength(1)
    expect(await database.query(`select from sdk_runs where user_id = 'ada'`)).toHaveLength(1_000)
  })

  // An embedded database runs one transaction at a time.
  it.runIf(kind === 'postgres')('commits two transactions that use threads in opposite order', async () => {
    const work = createAgent('work', { durable: { busy: 'queue' }, input: z.string(), handler: (_ctx, name) => name })
    let meet = (): void => {}
    const met = new Promise<void>((resolve) => (meet = resolve))
    let arrived = 0
    const parent = createAgent('parent', {
      durable: true,
      input: z.array(z.string()),
      handler: (ctx, threads) =>
        ctx.transaction(async (tx) => {
          const [first = '', second = ''] = threads
          await tx.start(work, first, { as: 'ada', thread: first })
          if (++arrived === 2) meet()
          await met
          await tx.start(work, second, { as: 'ada', thread: second })
        }),
    })
    const app = await start([parent, work])
    const parents = await Promise.all([app.start(parent, ['a', 'b']), app.start(parent, ['b', 'a'])])
    for (const { id } of parents) {
      await output(id)
      expect(await store.get(id)).toMatchObject({ status: 'done', error: null })
    }
    expect(arrived).toBe(3)
  })
})
