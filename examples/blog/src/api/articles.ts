/** The routes for articles, favorites and tags of the RealWorld API. */
import { randomUUID } from 'node:crypto'
import { createRouter, requireUser, type Context, type With } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'
import { articleQuery, findArticles, type ArticleQuery } from './find-articles.ts'
import { articlesWith } from './relations.ts'
import { articleFields, articles, favorites, tags } from './resources.ts'
import { getArticle, ignoreMissing, requireOwner } from './row-helpers.ts'

const tagList = z.array(z.string().trim().min(1).max(50)).max(20).default([])

export const articleRoutes = createRouter()
  .on('GET /articles', { query: articleQuery, handler: (ctx) => readPage(ctx, ctx.query) })
  .on('GET /articles/feed', {
    query: articleQuery,
    handler: async (ctx) => readPage(ctx, { ...ctx.query, follower: (await requireUser(ctx)).id }),
  })
  .on('POST /articles', {
    input: z.object({ article: z.object({ ...articleFields, tagList }) }),
    status: 201,
    async handler(ctx, { article: { tagList: names, ...fields } }) {
      const slug = await toFreeSlug(fields.title)
      await ctx.transaction(async (tx) => {
        const { id: articleId } = await tx.rows(articles).create({ ...fields, slug })
        for (const name of new Set(names)) await tx.rows(tags).create({ articleId, name })
      })
      return readArticle(ctx, slug)
    },
  })
  .on('GET /articles/:slug', (ctx) => readArticle(ctx, ctx.params.slug))
  .on('PUT /articles/:slug', {
    input: z.object({ article: z.object(articleFields).partial() }),
    async handler(ctx, { article: changes }) {
      const before = await getArticle(ctx)
      await requireOwner(ctx, before)
      const { title = before.title } = changes
      const slug = title === before.title ? before.slug : await toFreeSlug(title)
      await ctx.rows(articles).update(before.id, { ...changes, slug })
      return readArticle(ctx, slug)
    },
  })
  .on('DELETE /articles/:slug', {
    status: 204,
    async handler(ctx) {
      await requireOwner(ctx, await getArticle(ctx))
      await ctx.rows(articles).delete({ slug: ctx.params.slug })
    },
  })
  .on('POST /articles/:slug/favorite', async (ctx) => {
    const [{ id: ownerId }, { id: articleId, slug }] = [await requireUser(ctx), await getArticle(ctx)]
    await ctx.rows(favorites).replace({ articleId, ownerId }, {}) // creates the row, unless it exists
    return readArticle(ctx, slug)
  })
  .on('DELETE /articles/:slug/favorite', async (ctx) => {
    const [{ id: ownerId }, { id: articleId, slug }] = [await requireUser(ctx), await getArticle(ctx)]
    await ctx.rows(favorites).delete({ articleId, ownerId }).catch(ignoreMissing)
    return readArticle(ctx, slug)
  })
  .on('GET /tags', async () => {
    const rows = await database.query<{ name: string }>(
      'select name from tags group by name order by count(*) desc, name limit 100',
    )
    return { tags: rows.map(({ name }) => name) }
  })

/** The values that the RealWorld API adds to an article. */
const expand = ['author', 'tags', 'favorited', 'favoritesCount'] as const

async function readArticle(ctx: Context<unknown, unknown>, slug: string) {
  const row = await ctx.rows(articlesWith).get({ slug }, { expand })
  return { article: { ...toListed(row), body: row.body } }
}

async function readPage(ctx: Context<unknown, unknown>, query: ArticleQuery) {
  const { ids, total } = await findArticles(query)
  if (ids.length === 0) return { articles: [], articlesCount: total }
  const { data } = await ctx.rows(articlesWith).list({ 'id[in]': ids.join(), sort: '-id', limit: ids.length, expand })
  return { articles: data.map(toListed), articlesCount: total }
}

/** Returns an article as lists contain it: without its text. */
function toListed(row: With<(typeof articlesWith)['~types'], (typeof expand)[number]>) {
  const { id: _id, ownerId: _ownerId, body: _body, tags: tagRows, ...article } = row
  return { ...article, tagList: tagRows.map(({ name }) => name) }
}

/** Returns a slug for a title, such as `green-tea`, or `green-tea-4f1c22ab` if another article has it. */
async function toFreeSlug(title: string): Promise<string> {
  const slug =
    title
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('-') ?? 'article'
  const [taken] = await database.query('select 1 from articles where slug = $1', [slug])
  return taken === undefined ? slug : `${slug}-${randomUUID().slice(0, 8)}`
}
