import { openDatabase, postgresRuns, type Database } from '@sdk/database'
import { createAgent, createApp, type App, type RunStore } from '@sdk/server'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { silent } from './opened-engines.ts'

describe.each(DATABASE_KINDS.filter(({ isHere }) => isHere))('ctx.call of a durable agent on $kind', ({ open }) => {
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

  it('continues the caller when the run that it called has ended', async () => {
    const attempts: number[] = []
    const child = createAgent('child', {
      durable: true,
      input: z.string(),
      events: { go: z.object({ ok: z.boolean() }) },
      handler: async (ctx, text) => ({ text, ...(await ctx.wait('go')) }),
    })
    const parent = createAgent('parent', {
      durable: true,
      handler: (ctx) => (attempts.push(ctx.run.attempt), ctx.call(child, 'tea')),
    })
    app = createApp({ agents: [parent, child], runs: store, log: silent, rateLimit: false })
    await app.ready()
    const { id } = await app.start(parent, null)
    await expect.poll(async () => (await store.get(id))?.status).toBe('waiting')
    const [found] = await database.query<{ id: string }>(`select id from sdk_runs where agent = 'child'`)
    await app.fetch(
      new Request(`http://localhost/agent/child/runs/${found?.id}/events/go`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"ok":true}',
      }),
    )
    await expect.poll(async () => (await store.get(id))?.status).toBe('done')
    expect(await store.get(id)).toMatchObject({ output: '{"text":"tea","ok":true}' })
    expect(attempts).toEqual([1, 2])
  })
})
