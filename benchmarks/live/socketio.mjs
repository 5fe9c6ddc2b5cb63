// Live lists by hand with socket.io: each change is sent to the room of its list. There are no pages, access rules or
// reconnects, and changes by other programs are not seen.
import { createServer } from 'node:http'
import pg from 'pg'
import { Server } from 'socket.io'
import { report } from '../harness/report.mjs'
import { databaseUrl } from './shape.mjs'

const pool = new pg.Pool({ connectionString: databaseUrl })
const UPDATE = {
  name: 'change',
  text: 'update tasks set title = $2, version = version + 1, updated_at = now() where id = $1 returning *',
}
const http = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', async () => {
    const { rows } = await pool.query({ ...UPDATE, values: [request.url.split('/').at(-1), JSON.parse(body).title] })
    io.to(`list ${rows[0].list_id}`).emit('message', rows[0])
    response.setHeader('content-type', 'application/json').end(JSON.stringify(rows[0]))
  })
})
const io = new Server(http, { transports: ['websocket'], serveClient: false, perMessageDeflate: false })
io.on('connection', (socket) =>
  socket.on('message', ({ listId }) => {
    void socket.join(`list ${listId}`)
    socket.emit('message', { op: 'joined' })
  }),
)
await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve))
report(http.address().port)
