// A server of Socket.IO that misbehaves as the client's query says.
import { createServer } from 'node:http'
import { Server } from 'socket.io'
import { report } from '../../harness/report.mjs'
import { createFaults } from './faults.mjs'

const faults = createFaults()
const http = createServer()
const server = new Server(http)

// What its own guide does about a client that may not come in.
server.use((socket, next) =>
  socket.handshake.query.fault === 'refuse-politely' ? next(new Error('unauthorized')) : next(),
)
server.on('connection', (socket) => {
  const { conn } = socket
  const { query } = socket.handshake
  if (query.fault === 'disconnect') socket.disconnect(true)
  // A code can only be told over a WebSocket, so it waits until the client has gone over to one.
  const close = (code) => (code === 1006 ? conn.transport.socket.terminate() : conn.transport.socket.close(code))
  conn.once('upgrade', () => faults.arrived(query, close) || faults.opened(query, close))
})
http.listen(0, '127.0.0.1', () => report(http.address().port))
