import { countOf, existsIn, hasMany, relate } from '@sdk/server'
import { articles, comments, favorites, follows, tags } from './resources.ts'

/** Articles with the values that pages show: `GET /api/v1/articles?expand=author,tags,favoritesCount`. */
export const articlesWith = relate(articles, {
  tags: hasMany(tags, 'articleId', { sort: 'name' }),
  comments: hasMany(comments, 'articleId', { sort: '-id' }),
  favoritesCount: countOf(favorites, 'articleId', { of: 'everyone', exact: true }),
  favorited: existsIn(favorites, 'articleId', ({ user }) => ({ ownerId: user.id })),
})

/** Creates the tables, which the routes with SQL read. */
export async function createTables(): Promise<void> {
  for (const { store } of [articles, tags, comments, favorites, follows]) await store.ready?.()
}
