import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { stream } from 'hono/streaming'
import { report } from '../harness/report.mjs'
import { burst, Input, paced, work } from './shape.mjs'

const app = new Hono()
app.post('/agent/work', async (context) => {
  const parsed = Input.safeParse(await context.req.json())
  return parsed.success ? context.json(work(parsed.data)) : context.json({ error: parsed.error.issues }, 400)
})
for (const [path, chunks] of [
  ['/agent/burst', burst],
  ['/agent/paced', paced],
]) {
  app.post(path, (context) => {
    context.header('content-type', 'application/x-ndjson')
    return stream(context, async (out) => {
      for await (const value of chunks()) await out.write(`${JSON.stringify(value)}\n`)
    })
  })
}
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => report(port))
