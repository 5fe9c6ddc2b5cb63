import { Readable } from 'node:stream'
import Fastify from 'fastify'
import { report } from '../harness/report.mjs'
import { burst, Input, paced, work } from './shape.mjs'

const app = Fastify()
const ndjson = async function* (chunks) {
  for await (const value of chunks) yield `${JSON.stringify(value)}\n`
}
app.post('/agent/work', async (request, reply) => {
  const parsed = Input.safeParse(request.body)
  if (parsed.success) return work(parsed.data)
  return reply.code(400).send({ error: parsed.error.issues })
})
for (const [path, chunks] of [
  ['/agent/burst', burst],
  ['/agent/paced', paced],
]) {
  app.post(path, async (_request, reply) =>
    reply.type('application/x-ndjson').send(Readable.from(ndjson(chunks()), { objectMode: false })),
  )
}
await app.listen({ port: 0, host: '127.0.0.1' })
report(app.server.address().port)
