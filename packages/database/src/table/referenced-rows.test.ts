import { createApp, createResource, createRouter, type Context, type ResourceAccess } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase, table } from '../index.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`rows that a transaction refers to on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    function define(prefix: string, access: ResourceAccess) {
      const schema = z.object({ title: z.string().max(20) })
      const articles = createResource('articles', { schema, store: table(`${prefix}_articles`, { database }), access })
      const tags = createResource('tags', {
        schema: z.object({ articleId: z.int() }),
        store: table(`${prefix}_tags`, { database }),
        access: 'public',
        references: { articleId: { to: 'articles', onDelete: 'cascade' } },
      })
      return { articles, tags }
    }

    /** Runs `work` in a handler. Returns the response, and the number of times that an article was read by id. */
    async function run(
      prefix: string,
      access: ResourceAccess,
      work: (ctx: Context, resources: ReturnType<typeof define>) => Promise<unknown>,
    ) {
      const resources = define(prefix, access)
      const router = createRouter()
        .resource('v1', resources.articles)
        .resource('v1', resources.tags)
        .on('POST /api/work', (ctx) => work(ctx as Context, resources))
      const app = await testApp(createApp({ router }))
      // A transaction that has to create a table first runs twice.
      for (const one of [resources.articles, resources.tags]) await one.store.ready?.()
      const { store } = resources.articles
      const { get } = store
      let reads = 0
      Object.assign(store, {
        get: (...args: Parameters<NonNullable<typeof get>>) => {
          reads += 1
          return get?.(...args)
        },
      })
      try {
        const error = await app.call('POST /api/work', {}).then(
          () => null,
          (reason: unknown) => reason,
        )
        return { error, reads }
      } finally {
        await app.close()
      }
    }

    it('are not read if the transaction created them', async () => {
      const result = await run('made', 'public', (ctx, { articles, tags }) =>
        ctx.transaction(async (tx) => {
          const { id: articleId } = await tx.rows(articles).create({ title: 'tea' })
          for (let at = 0; at < 3; at++) await tx.rows(tags).create({ articleId })
        }),
      )
      expect(result).toEqual({ error: null, reads: 0 })
      expect(await database.query('select 1 from made_tags')).toHaveLength(3)
    })

    it('are read once if they existed before, and in each transaction', async () => {
      const result = await run('found', 'public', async (ctx, { articles, tags }) => {
        const { id: articleId } = await ctx.rows(articles).create({ title: 'tea' })
        const tag = () =>
          ctx.transaction(async (tx) => {
            for (let at = 0; at < 3; at++) await tx.rows(tags).create({ articleId })
          })
        await tag()
        await tag()
      })
      expect(result).toEqual({ error: null, reads: 2 })
    })

    it('are rejected after they were deleted', async () => {
      const result = await run('gone', 'public', (ctx, { articles, tags }) =>
        ctx.transaction(async (tx) => {
          const { id: articleId } = await tx.rows(articles).create({ title: 'tea' })
          await tx.rows(articles).delete(articleId)
          await tx.rows(tags).create({ articleId })
        }),
      )
      expect(result.error).toMatchObject({ status: 400, details: [{ pointer: '/articleId' }] })
    })

    it('are read each time if the rule has a condition, since the row may no longer match', async () => {
      const result = await run(
        'hidden',
        () => ({ title: 'open' }),
        (ctx, { articles, tags }) =>
          ctx.transaction(async (tx) => {
            const { id: articleId } = await tx.rows(articles).create({ title: 'open' })
            await tx.rows(tags).create({ articleId })
            await tx.query(`update hidden_articles set title = 'closed'`)
            await tx.rows(tags).create({ articleId })
          }),
      )
      expect(result).toMatchObject({ error: { status: 400, details: [{ pointer: '/articleId' }] }, reads: 2 })
    })
  })
}
