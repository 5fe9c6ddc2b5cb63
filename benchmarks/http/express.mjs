import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import express from 'express'
import { report } from '../harness/report.mjs'
import { burst, Input, paced, work } from './shape.mjs'

const app = express()
app.use(express.json())
const ndjson = async function* (chunks) {
  for await (const value of chunks) yield `${JSON.stringify(value)}\n`
}
app.post('/agent/work', (request, response) => {
  const parsed = Input.safeParse(request.body)
  if (parsed.success) response.json(work(parsed.data))
  else response.status(400).json({ error: parsed.error.issues })
})
for (const [path, chunks] of [
  ['/agent/burst', burst],
  ['/agent/paced', paced],
]) {
  app.post(path, async (_request, response) => {
    response.type('application/x-ndjson')
    await pipeline(Readable.from(ndjson(chunks()), { objectMode: false }), response)
  })
}
const server = app.listen(0, '127.0.0.1', () => report(server.address().port))
