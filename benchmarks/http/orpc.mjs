// POST /agent/work accepts and returns wrapped values: {"json":…}.
// oRPC streams server-sent events, not NDJSON, so burst and paced respond with 404.
import { createServer } from 'node:http'
import { os } from '@orpc/server'
import { RPCHandler } from '@orpc/server/node'
import { report } from '../harness/report.mjs'
import { Input, work } from './shape.mjs'

const handler = new RPCHandler({ work: os.input(Input).handler(({ input }) => work(input)) })
const server = createServer(async (request, response) => {
  const { matched } = await handler.handle(request, response, { prefix: '/agent' })
  if (matched) return
  response.statusCode = 404
  response.end('Not found')
})
server.listen(0, '127.0.0.1', () => report(server.address().port))
