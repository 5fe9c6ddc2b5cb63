import { Router } from 'express'
import { z } from 'zod'
import { getArticle } from './articles.mjs'
import { requireUser } from './auth.mjs'
import { HttpError } from './errors.mjs'
import { prisma } from './prisma.mjs'
import { selectProfile, toProfile } from './profiles.mjs'

const input = z.object({ comment: z.object({ body: z.string().trim().min(1).max(5_000) }) })
const commentId = z.coerce.number().int().positive()

export const comments = Router()

comments.get('/articles/:slug/comments', async ({ params, userId }, response) => {
  const { id: articleId } = await getArticle(params.slug)
  const include = { author: { select: selectProfile(userId) } }
  const rows = await prisma.comment.findMany({ where: { articleId }, include, orderBy: { id: 'desc' }, take: 100 })
  response.json({ comments: rows.map(toComment) })
})

comments.post('/articles/:slug/comments', requireUser, async ({ params, body, userId }, response) => {
  const { comment } = input.parse(body)
  const { id: articleId } = await getArticle(params.slug)
  const include = { author: { select: selectProfile(userId) } }
  const created = await prisma.comment.create({ data: { ...comment, articleId, authorId: userId }, include })
  response.json({ comment: toComment(created) })
})

comments.delete('/articles/:slug/comments/:id', requireUser, async ({ params, userId }, response) => {
  const [id, article] = [commentId.parse(params.id), await getArticle(params.slug)]
  const comment = await prisma.comment.findUnique({ where: { id } })
  if (comment?.articleId !== article.id) throw new HttpError(404, 'comment not found')
  if (comment.authorId !== userId) throw new HttpError(403, 'only the author may do this')
  await prisma.comment.delete({ where: { id } })
  response.status(204).end()
})

function toComment({ id, createdAt, updatedAt, body, author }) {
  return { id, createdAt, updatedAt, body, author: toProfile(author) }
}
