// Hand-written: one statement with joins, prepared once per connection. Times are sliced from PostgreSQL's text.
import pg from 'pg'
import { startArticles } from './fastify-articles.mjs'
import { COMMENTS, CONNECTIONS, databaseUrl } from './shape.mjs'

pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, toTime)
const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS, options: '-c timezone=UTC' })

// A literal limit: with a parameter, the planner would expect a tenth of the table.
const toText = (limit) => `
  select a.id, a.title, a.body, a.author_id as "authorId", a.created_at as "createdAt", a.updated_at as "updatedAt",
    u.name, u.bio, u.created_at as "authorCreatedAt", u.updated_at as "authorUpdatedAt",
    c.comments, f.count as "favoriteCount"
  from articles a
  left join authors u on u.id = a.author_id
  left join lateral (
    select json_agg(json_build_object(
      'id', id, 'articleId', article_id, 'text', text, 'createdAt', created_at, 'updatedAt', updated_at
    )) as comments
    from (select * from comments where article_id = a.id order by id desc limit ${COMMENTS}) newest
  ) c on true
  left join lateral (select count(*)::int as count from favorites where article_id = a.id) f on true
  where a.id < $1
  order by a.id desc
  limit ${limit}`

await startArticles(async ({ after, limit }) => {
  const { rows } = await pool.query({ name: `page ${limit}`, text: toText(limit), values: [after] })
  return rows.map(toArticle)
})

function toArticle({ name, bio, authorCreatedAt, authorUpdatedAt, comments, ...article }) {
  const { authorId } = article
  return {
    ...article,
    author: name === null ? null : { id: authorId, name, bio, createdAt: authorCreatedAt, updatedAt: authorUpdatedAt },
    comments: comments === null ? [] : comments.map(toComment),
  }
}

function toComment(comment) {
  return { ...comment, createdAt: toTime(comment.createdAt), updatedAt: toTime(comment.updatedAt) }
}

/** Converts `2026-01-02 03:04:05.67+00`, or the same in JSON, to `2026-01-02T03:04:05.670Z`. */
function toTime(text) {
  const fraction = text.slice(20, text.indexOf('+', 19))
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${`${fraction}000`.slice(0, 3)}Z`
}
