// A plain `ws` server.
import { appendFileSync } from 'node:fs'
import { WebSocketServer } from 'ws'
import { report } from '../../harness/report.mjs'

const { BENCH_PORT = '0', BENCH_FILE = '' } = process.env
const server = new WebSocketServer({ host: '127.0.0.1', port: Number(BENCH_PORT), backlog: 511 })
server.on('connection', (socket) => {
  socket.on('error', () => {}) // a close comes too
  socket.on('message', (data) => {
    if (BENCH_FILE !== '') appendFileSync(BENCH_FILE, `${JSON.parse(data)}\n`)
  })
})
server.on('listening', () => report(server.address().port))
