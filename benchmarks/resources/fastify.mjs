// Hand-written with Fastify 5: the same routes, bodies and ETags; no request id, rate limit or security headers.
import Fastify from 'fastify'
import { report } from '../harness/report.mjs'
import { toPage, toQuery } from './fastify-list.mjs'
import { createTable, insert, list, read, update } from './fastify-sql.mjs'
import { PATH, Task } from './shape.mjs'

const item = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    title: { type: 'string' },
    done: { type: 'boolean' },
    priority: { type: 'integer' },
    createdAt: { type: 'string' },
    updatedAt: { type: 'string' },
  },
}
const cursor = { type: 'string', nullable: true }
const page = {
  type: 'object',
  properties: {
    data: { type: 'array', items: item },
    pagination: {
      type: 'object',
      properties: {
        limit: { type: 'integer' },
        hasMore: { type: 'boolean' },
        nextCursor: cursor,
        prevCursor: cursor,
      },
    },
  },
}
const answers = (status, body) => ({ schema: { response: { [status]: body } } })
const failure = (code, message) => ({ error: { code, message, details: [] } })
const etagOf = (row) => `"${row.version}"`
const Strict = Task.strict()

const app = Fastify()

app.post(PATH, answers(201, item), async (request, reply) => {
  const parsed = Strict.safeParse(request.body)
  if (!parsed.success) return reply.code(400).send(failure('INVALID_REQUEST', parsed.error.message))
  const row = await insert(parsed.data)
  return sendItem(reply.code(201).header('location', `${PATH}/${row.id}`), row)
})

app.get(PATH, answers(200, page), async (request, reply) => {
  const query = toQuery(request.query)
  if (query === null) return reply.code(400).send(failure('INVALID_REQUEST', 'no such list'))
  const { body, etag, link } = toPage(query, await list(query))
  reply.header('etag', etag)
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  if (link !== '') reply.header('link', link)
  return body
})

app.get(`${PATH}/:id`, answers(200, item), async (request, reply) => {
  const id = toId(request)
  if (id === null) return reply.code(400).send(failure('INVALID_REQUEST', 'id must be a positive integer'))
  const row = await read(id)
  if (row === null) return reply.code(404).send(failure('NOT_FOUND', 'no such task'))
  if (request.headers['if-none-match'] === etagOf(row)) return reply.code(304).header('etag', etagOf(row)).send()
  return sendItem(reply, row)
})

app.patch(`${PATH}/:id`, answers(200, item), async (request, reply) => {
  const id = toId(request)
  if (id === null) return reply.code(400).send(failure('INVALID_REQUEST', 'id must be a positive integer'))
  const row = await read(id)
  if (row === null) return reply.code(404).send(failure('NOT_FOUND', 'no such task'))
  const wanted = request.headers['if-match']
  if (wanted !== undefined && wanted !== etagOf(row))
    return reply.code(412).send(failure('PRECONDITION_FAILED', 'it has changed since'))
  const { title, done, priority } = row
  const parsed = Strict.safeParse({ title, done, priority, ...request.body })
  if (!parsed.success) return reply.code(400).send(failure('INVALID_REQUEST', parsed.error.message))
  const changed = await update(row, parsed.data)
  if (changed === null) return reply.code(409).send(failure('CONFLICT', 'it was changed by another'))
  return sendItem(reply, changed)
})

function toId({ params }) {
  return /^[1-9][0-9]{0,14}$/.test(params.id) ? Number(params.id) : null
}

function sendItem(reply, row) {
  reply.header('etag', etagOf(row)).header('last-modified', new Date(row.updatedAt).toUTCString())
  return row
}

await createTable()
await app.listen({ port: 0, host: '127.0.0.1' })
report(app.server.address().port)
