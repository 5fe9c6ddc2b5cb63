// The server of the peers: Fastify 5 with a response schema. `readArticles` reads the rows of a page.
import Fastify from 'fastify'
import { report } from '../../harness/report.mjs'
import { PATH } from './shape.mjs'

const [integer, string] = [{ type: 'integer' }, { type: 'string' }]
const cursor = { type: 'string', nullable: true }
const toItem = (fields) => ({
  type: 'object',
  properties: { id: integer, ...fields, createdAt: string, updatedAt: string },
})
const article = toItem({ title: string, body: string, authorId: integer })
Object.assign(article.properties, {
  author: { ...toItem({ name: string, bio: string }), nullable: true },
  comments: { type: 'array', items: toItem({ articleId: integer, text: string }) },
  favoriteCount: integer,
})
const page = {
  type: 'object',
  properties: {
    data: { type: 'array', items: article },
    pagination: {
      type: 'object',
      properties: { limit: integer, hasMore: { type: 'boolean' }, nextCursor: cursor, prevCursor: cursor },
    },
  },
}

/** Starts a server for pages of articles, the newest first. */
export async function startArticles(readArticles) {
  const app = Fastify()
  app.get(PATH, { schema: { response: { 200: page } } }, async (request, reply) => {
    const query = toQuery(request.query)
    if (query === null) return reply.code(400).send({ error: { code: 'INVALID_REQUEST', message: 'no such list' } })
    const { limit, after } = query
    const found = await readArticles({ after, limit: limit + 1 }) // one more shows whether there is a next page
    const hasMore = found.length > limit
    const data = hasMore ? found.slice(0, limit) : found
    const nextCursor = hasMore ? toCursor(data.at(-1).id) : null
    if (hasMore) reply.header('link', `<${PATH}?limit=${limit}&sort=-id&cursor=${nextCursor}>; rel="next"`)
    return { data, pagination: { limit, hasMore, nextCursor, prevCursor: null } }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  report(app.server.address().port)
}

function toQuery({ limit = '20', cursor: text }) {
  const after = text === undefined ? MAX_ID : fromCursor(text)
  return /^[1-9][0-9]?$|^100$/.test(limit) && after !== null ? { limit: Number(limit), after } : null
}

/** Larger than all ids. */
const MAX_ID = 2 ** 31 - 1

function toCursor(id) {
  return Buffer.from(String(id)).toString('base64url')
}

function fromCursor(text) {
  const id = Buffer.from(text, 'base64url').toString()
  return /^[1-9][0-9]{0,8}$/.test(id) ? Number(id) : null
}
