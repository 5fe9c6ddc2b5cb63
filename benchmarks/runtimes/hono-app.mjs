import { Hono } from 'hono'
import { stream } from 'hono/streaming'
import { burst, Input, work } from '../http/shape.mjs'

/** Creates the app of the benchmark with these middlewares. */
export function createHono(...middlewares) {
  const app = new Hono()
  for (const middleware of middlewares) app.use(middleware)
  app.post('/agent/work', async (context) => {
    const parsed = Input.safeParse(await context.req.json())
    return parsed.success ? context.json(work(parsed.data)) : context.json({ error: parsed.error.issues }, 400)
  })
  return app.post('/agent/burst', (context) => {
    context.header('content-type', 'application/x-ndjson')
    return stream(context, async (out) => {
      for await (const value of burst()) await out.write(`${JSON.stringify(value)}\n`)
    })
  })
}
