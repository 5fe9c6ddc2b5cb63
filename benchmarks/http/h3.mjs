import { H3, iterable, readValidatedBody, serve } from 'h3'
import { report } from '../harness/report.mjs'
import { burst, Input, paced, work } from './shape.mjs'

const app = new H3()
app.post('/agent/work', async (event) => work(await readValidatedBody(event, Input)))
for (const [path, chunks] of [
  ['/agent/burst', burst],
  ['/agent/paced', paced],
]) {
  app.post(path, (event) => {
    event.res.headers.set('content-type', 'application/x-ndjson')
    return iterable(chunks(), { serializer: (value) => `${JSON.stringify(value)}\n` })
  })
}
const server = serve(app, { port: 0, hostname: '127.0.0.1', silent: true })
await server.ready()
report(server.node.server.address().port)
