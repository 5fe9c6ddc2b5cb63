/** The routes for comments of the RealWorld API. */
import { ApiError, createRouter, type With } from '@sdk/server'
import { z } from 'zod'
import { comments } from './resources.ts'
import { getArticle, requireOwner } from './row-helpers.ts'

export const commentRoutes = createRouter()
  .on('GET /articles/:slug/comments', async (ctx) => {
    const { id: articleId } = await getArticle(ctx)
    const { data } = await ctx.rows(comments).list({ articleId, sort: '-id', limit: 100, expand: ['author'] })
    return { comments: data.map(toComment) }
  })
  .on('POST /articles/:slug/comments', {
    input: z.object({ comment: z.object({ body: z.string().trim().min(1).max(5_000) }) }),
    async handler(ctx, { comment: { body } }) {
      const { id: articleId } = await getArticle(ctx)
      const { id } = await ctx.rows(comments).create({ articleId, body })
      return { comment: toComment(await ctx.rows(comments).get(id, { expand: ['author'] })) }
    },
  })
  .on('DELETE /articles/:slug/comments/:id', {
    params: z.object({ slug: z.string(), id: z.coerce.number().int().positive() }),
    status: 204,
    async handler(ctx) {
      const [article, comment] = [await getArticle(ctx), await ctx.rows(comments).get(ctx.params.id)]
      if (comment.articleId !== article.id) throw new ApiError('NOT_FOUND', 'comment not found')
      await requireOwner(ctx, comment)
      await ctx.rows(comments).delete(comment.id)
    },
  })

function toComment({ id, createdAt, updatedAt, body, author }: With<(typeof comments)['~types'], 'author'>) {
  return { id, createdAt, updatedAt, body, author }
}
