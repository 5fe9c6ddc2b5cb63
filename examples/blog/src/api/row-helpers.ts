import { isApiError } from '@sdk/protocol'
import { ApiError, requireUser, type Context } from '@sdk/server'
import { articles } from './resources.ts'

type SlugContext = Context<{ slug: string }, unknown>

/** Returns the article that the path names. */
export const getArticle = (ctx: SlugContext) => ctx.rows(articles).get({ slug: ctx.params.slug })

/** Throws 403 if the row belongs to another user. With the access rule alone, the response would be 404. */
export async function requireOwner(ctx: SlugContext, row: { ownerId: string }): Promise<void> {
  if (row.ownerId !== (await requireUser(ctx)).id) throw new ApiError('FORBIDDEN', 'only the author may do this')
}

/** Ignores that a row does not exist: `.delete(key).catch(ignoreMissing)`. */
export function ignoreMissing(error: unknown): void {
  if (!isApiError(error) || error.code !== 'NOT_FOUND') throw error
}
