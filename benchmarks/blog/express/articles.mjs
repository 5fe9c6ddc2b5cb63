// Articles, favorites and tags
import { randomUUID } from 'node:crypto'
import { Router } from 'express'
import { z } from 'zod'
import { requireUser } from './auth.mjs'
import { HttpError } from './errors.mjs'
import { prisma } from './prisma.mjs'
import { selectProfile, toProfile } from './profiles.mjs'

const fields = z.object({
  title: z.string().trim().min(1).max(200),
  description: z.string().trim().min(1).max(1_000),
  body: z.string().min(1).max(50_000),
})
const tagList = z.array(z.string().trim().min(1).max(50)).max(20).default([])
const createInput = z.object({ article: fields.extend({ tagList }) })
const updateInput = z.object({ article: fields.partial() })
const listQuery = z.object({
  tag: z.string().max(50).optional(),
  author: z.string().max(40).optional(),
  favorited: z.string().max(40).optional(),
  limit: z.coerce.number().int().min(1).max(50).default(20),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
})

export const articles = Router()

articles.get('/articles', async (request, response) => {
  response.json(await listArticles(request))
})

articles.get('/articles/feed', requireUser, async (request, response) => {
  const author = { followers: { some: { followerId: request.userId } } }
  response.json(await listArticles(request, { author }))
})

articles.post('/articles', requireUser, async ({ body, userId }, response) => {
  const { tagList: names, ...data } = createInput.parse(body).article
  const tags = { create: [...new Set(names)].map((name) => ({ name })) }
  const slug = await toFreeSlug(data.title)
  const article = await prisma.article.create({
    data: { ...data, slug, tags, authorId: userId },
    include: includeAll(userId),
  })
  response.status(201).json({ article: toArticle(article) })
})

articles.get('/articles/:slug', async (request, response) => {
  response.json({ article: await readArticle(request) })
})

articles.put('/articles/:slug', requireUser, async (request, response) => {
  const { article: changes } = updateInput.parse(request.body)
  const { id, slug, title } = await getOwnArticle(request)
  const isRenamed = changes.title !== undefined && changes.title !== title
  const article = await prisma.article.update({
    where: { id },
    data: { ...changes, slug: isRenamed ? await toFreeSlug(changes.title) : slug },
    include: includeAll(request.userId),
  })
  response.json({ article: toArticle(article) })
})

articles.delete('/articles/:slug', requireUser, async (request, response) => {
  const { id } = await getOwnArticle(request)
  await prisma.article.delete({ where: { id } })
  response.status(204).end()
})

articles.post('/articles/:slug/favorite', requireUser, async (request, response) => {
  const { id: articleId } = await getArticle(request.params.slug)
  const favorite = { articleId, userId: request.userId }
  await prisma.favorite.upsert({ where: { articleId_userId: favorite }, create: favorite, update: {} })
  response.json({ article: await readArticle(request) })
})

articles.delete('/articles/:slug/favorite', requireUser, async (request, response) => {
  const { id: articleId } = await getArticle(request.params.slug)
  await prisma.favorite.deleteMany({ where: { articleId, userId: request.userId } })
  response.json({ article: await readArticle(request) })
})

articles.get('/tags', async (_request, response) => {
  const tags = await prisma.tag.groupBy({
    by: ['name'],
    orderBy: [{ _count: { name: 'desc' } }, { name: 'asc' }],
    take: 100,
  })
  response.json({ tags: tags.map(({ name }) => name) })
})

/** Returns the article with a slug, or throws 404. */
export async function getArticle(slug) {
  const article = await prisma.article.findUnique({ where: { slug } })
  if (article === null) throw new HttpError(404, 'not found')
  return article
}

async function getOwnArticle({ params: { slug }, userId }) {
  const article = await getArticle(slug)
  if (article.authorId !== userId) throw new HttpError(403, 'only the author may do this')
  return article
}

async function readArticle({ params: { slug }, userId }) {
  const article = await prisma.article.findUnique({ where: { slug }, include: includeAll(userId) })
  if (article === null) throw new HttpError(404, 'not found')
  return toArticle(article)
}

async function listArticles({ query, userId }, condition = {}) {
  const { tag, author, favorited, limit, offset } = listQuery.parse(query)
  const conditions = [condition]
  if (tag !== undefined) conditions.push({ tags: { some: { name: tag } } })
  if (author !== undefined) conditions.push({ author: { username: author } })
  if (favorited !== undefined) conditions.push({ favorites: { some: { user: { username: favorited } } } })
  const where = { AND: conditions }
  const [rows, articlesCount] = await Promise.all([
    prisma.article.findMany({
      where,
      omit: { body: true },
      include: includeAll(userId),
      orderBy: { id: 'desc' },
      take: limit,
      skip: offset,
    }),
    prisma.article.count({ where }),
  ])
  return { articles: rows.map(toArticle), articlesCount }
}

/** Includes the values that the RealWorld API adds to an article. */
function includeAll(userId = 0) {
  return {
    author: { select: selectProfile(userId) },
    tags: { select: { name: true }, orderBy: { name: 'asc' } },
    favorites: { where: { userId } },
    _count: { select: { favorites: true } },
  }
}

function toArticle({ id: _id, authorId: _authorId, author, tags, favorites, _count, ...article }) {
  return {
    ...article,
    author: toProfile(author),
    tagList: tags.map(({ name }) => name),
    favorited: favorites.length > 0,
    favoritesCount: _count.favorites,
  }
}

/** Returns a slug for a title, such as `green-tea`, or `green-tea-4f1c22ab` if another article has it. */
async function toFreeSlug(title) {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu)
  const slug = words?.join('-') ?? 'article'
  const taken = await prisma.article.findUnique({ where: { slug }, select: { id: true } })
  return taken === null ? slug : `${slug}-${randomUUID().slice(0, 8)}`
}
