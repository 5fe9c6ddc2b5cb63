import { z } from 'zod'
import { database } from '../database.ts'

export const articleQuery = z.object({
  tag: z.string().max(50).optional(),
  author: z.string().max(40).optional(),
  favorited: z.string().max(40).optional(),
  limit: z.coerce.number().int().min(1).max(50).default(20),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
})

/** `follower` is the id of a user, to find only articles of the authors whom the user follows. */
export type ArticleQuery = z.infer<typeof articleQuery> & { follower?: string }

/** Finds articles by values of other tables, newest first. Returns the ids on a page and the number of all articles. */
export async function findArticles({ tag, author, favorited, follower, limit, offset }: ArticleQuery) {
  const [found] = await database.query<{ ids: number[]; total: number }>(
    `with found as (
       select a.id from articles a join "user" u on u.id = a.owner_id
       where ($1::text is null or exists (select 1 from tags t where t.article_id = a.id and t.name = $1))
         and ($2::text is null or u.username = $2)
         and ($3::text is null or exists (
           select 1 from favorites f join "user" o on o.id = f.owner_id where f.article_id = a.id and o.username = $3))
         and ($4::text is null or exists (select 1 from follows f where f.user_id = a.owner_id and f.owner_id = $4))
     )
     select array(select id::int from found order by id desc limit $5 offset $6) as ids,
       (select count(*)::int from found) as total`,
    [tag, author, favorited, follower, limit, offset],
  )
  return found ?? { ids: [], total: 0 }
}
