// Drizzle's relational queries, prepared once.
import { desc, lt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import * as schema from './drizzle-schema.mjs'
import { startArticles } from './fastify-articles.mjs'
import { COMMENTS, CONNECTIONS, databaseUrl } from './shape.mjs'

const { articles, comments } = schema
const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS })
const db = drizzle(pool, { schema })
const prepared = db.query.articles
  .findMany({
    where: lt(articles.id, sql.placeholder('after')),
    orderBy: desc(articles.id),
    limit: sql.placeholder('limit'),
    with: { author: true, comments: { orderBy: desc(comments.id), limit: COMMENTS } },
    // `db.$count` would refer to the favorites by the name of the articles.
    extras: {
      favoriteCount: sql`(select count(*) from favorites f where f.article_id = ${articles.id})`.as('favoriteCount'),
    },
  })
  .prepare('page')

await startArticles(async (page) => {
  const rows = await prepared.execute(page)
  return rows.map((row) => ({ ...row, favoriteCount: Number(row.favoriteCount) }))
})
