import { migrate } from '@sdk/database'
import { countOf, existsIn, hasMany, relate } from '@sdk/server'
import { database } from '../database.ts'
import { articles, comments, favorites, follows, tags } from './resources.ts'

/** Articles with the values that pages show: `GET /api/v1/articles?expand=author,tags,favoritesCount`. */
export const articlesWith = relate(articles, {
  tags: hasMany(tags, 'articleId', { sort: 'name' }),
  comments: hasMany(comments, 'articleId', { sort: '-id' }),
  favoritesCount: countOf(favorites, 'articleId', { of: 'everyone', exact: true }),
  favorited: existsIn(favorites, 'articleId', ({ user }) => ({ ownerId: user.id })),
})

/** Creates the tables, and foreign keys that delete an article's tags, comments and favorites with it. */
export async function createTables(): Promise<void> {
  for (const { store } of [articles, tags, comments, favorites, follows]) await store.ready?.()
  await migrate(database, 'blog', async ({ query }) => {
    for (const name of ['tags', 'comments', 'favorites'])
      await query(`do $$ begin
        alter table ${name} add constraint ${name}_article_id_fkey
          foreign key (article_id) references articles (id) on delete cascade;
      exception when duplicate_object then null; end $$`)
  })
}
