/** The data: five tables, with routes at `/api/v1/{name}`. Their rules also apply to the routes of the RealWorld API. */
import { table } from '@sdk/database'
import { ApiError, createResource, type AccessRequest, type User } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'
import { loadAuthors, profile } from './profiles.ts'

/** Everyone may read. Only owners may write. */
const owned = {
  access: ({ user, action }: AccessRequest) =>
    action === 'list' || action === 'get' || (user !== null && { ownerId: user.id }),
  assign: ({ user }: { user: User }) => ({ ownerId: user.id }),
}
const ownerId = z.string().max(100)
const author = { output: profile, load: loadAuthors }
const references = { articleId: { to: 'articles', onDelete: 'cascade' } } as const

export const articleFields = {
  title: z.string().trim().min(1).max(200),
  description: z.string().trim().min(1).max(1_000),
  body: z.string().min(1).max(50_000),
}

export const articles = createResource('articles', {
  ...owned,
  schema: z.object({ ...articleFields, slug: z.string().min(1).max(220), ownerId }),
  store: table('articles', { database }),
  key: 'slug',
  filter: ['id', 'ownerId'],
  computed: { author },
})

export const tags = createResource('tags', {
  ...owned,
  schema: z.object({ articleId: z.int(), name: z.string().trim().min(1).max(50), ownerId }),
  store: table('tags', { database }),
  references,
  key: ['articleId', 'name'],
  filter: ['articleId', 'name'],
  sort: ['name'],
  async check(tag, ctx) {
    const article = await ctx.rows(articles).get(tag.articleId)
    if (article.ownerId !== tag.ownerId) throw new ApiError('FORBIDDEN', 'only the author may tag an article')
  },
})

export const comments = createResource('comments', {
  ...owned,
  schema: z.object({ articleId: z.int(), body: z.string().trim().min(1).max(5_000), ownerId }),
  store: table('comments', { database }),
  references,
  filter: ['articleId'],
  computed: { author },
})

export const favorites = createResource('favorites', {
  ...owned,
  schema: z.object({ articleId: z.int(), ownerId }),
  store: table('favorites', { database }),
  references,
  key: ['articleId', 'ownerId'],
  filter: ['articleId', 'ownerId'],
})

export const follows = createResource('follows', {
  ...owned,
  schema: z.object({ userId: z.string().max(100), ownerId }), // the owner follows the user
  store: table('follows', { database }),
  key: ['userId', 'ownerId'],
  filter: ['userId', 'ownerId'],
})
