// A plain Socket.IO server.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Server } from 'socket.io'
import { report } from '../../harness/report.mjs'

const { BENCH_PORT = '0', BENCH_FILE = '' } = process.env
const http = createServer()
new Server(http).on('connection', (socket) => {
  socket.on('message', (message) => {
    if (BENCH_FILE !== '') appendFileSync(BENCH_FILE, `${message}\n`)
  })
})
http.listen(Number(BENCH_PORT), '127.0.0.1', () => report(http.address().port))
