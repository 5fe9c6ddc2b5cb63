import { openDatabase, postgresRuns, table, type Database } from '@sdk/database'
import { createAgent, createApp, createResource, createRouter, type App, type RunStore } from '@sdk/server'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { silent } from './opened-engines.ts'

const OPTIONS = { as: 'ada', thread: 't' }

describe.each(DATABASE_KINDS.filter(({ isHere }) => isHere))('tx.start with a thread on $kind', ({ open }) => {
  let database: Database
  let store: RunStore
  let app: App | undefined
  beforeEach(async () => {
    database = await open(openDatabase)
    store = postgresRuns({ database, log: silent })
  })
  afterEach(async () => {
    await app?.close()
    await store.close()
    await database.close()
  })

  async function output(id: string): Promise<unknown> {
    await expect.poll(async () => (await store.get(id))?.endedAt, { timeout: 30_000 }).not.toBeNull()
    return JSON.parse((await store.get(id))?.output ?? 'null')
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
    const schema = z.object({ text: z.string() })
    const entries = createResource('entries', { schema, store: table('entries', { database }), access: 'public' })
    const router = createRouter().resource('v1', entries)
    app = createApp({ agents: [parent, slow], router, runs: store, log: silent, rateLimit: false })
    await app.ready()
    const first = await app.start(slow, 'one', OPTIONS)
    const second = (await output((await app.start(parent, null)).id)) as { id: string }
    if (busy === 'queue') release()
    expect(await output(second.id)).toEqual(busy === 'queue' ? ['one', 'two'] : ['two'])
    expect(await store.get(first.id)).toMatchObject({ status: busy === 'queue' ? 'done' : 'cancelled' })
    const own = { agent: 'slow', of: { userId: 'ada' }, thread: 't', limit: 9, after: null }
    expect(await store.list(own)).toHaveLength(2)
  })
})
