// Live lists by hand with tRPC subscriptions: after a change of a list, each subscriber receives the page again. It is
// read once for all of them.
import { EventEmitter, on } from 'node:events'
import { createServer } from 'node:http'
import { initTRPC } from '@trpc/server'
import { applyWSSHandler } from '@trpc/server/adapters/ws'
import pg from 'pg'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { report } from '../harness/report.mjs'
import { databaseUrl } from './shape.mjs'

const pool = new pg.Pool({ connectionString: databaseUrl })
const changes = new EventEmitter().setMaxListeners(0)
const UPDATE = {
  name: 'change',
  text: 'update tasks set title = $2, version = version + 1, updated_at = now() where id = $1 returning list_id',
}
const PAGE = { name: 'page', text: 'select * from tasks where list_id = $1 order by priority, id limit 21' }
const t = initTRPC.create()
const router = t.router({
  list: t.procedure.input(z.object({ listId: z.number() })).subscription(async function* ({ input, signal }) {
    yield { op: 'joined' }
    for await (const [page] of on(changes, `list ${input.listId}`, { signal })) yield page
  }),
})
const http = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', async () => {
    const { rows } = await pool.query({ ...UPDATE, values: [request.url.split('/').at(-1), JSON.parse(body).title] })
    const list = rows[0].list_id
    changes.emit(`list ${list}`, (await pool.query({ ...PAGE, values: [list] })).rows)
    response.setHeader('content-type', 'application/json').end('{}')
  })
})
applyWSSHandler({ wss: new WebSocketServer({ server: http }), router, createContext: () => ({}) })
await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve))
report(http.address().port)
