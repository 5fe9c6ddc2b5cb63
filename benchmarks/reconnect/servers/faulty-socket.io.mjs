// A Socket.IO server with the fault that the client's query requests.
import { createServer } from 'node:http'
import { Server } from 'socket.io'
import { report } from '../../harness/report.mjs'
import { createFaults } from './faults.mjs'

const faults = createFaults()
const http = createServer()
const server = new Server(http)

// Rejects clients as the Socket.IO guide describes.
server.use((socket, next) =>
  socket.handshake.query.fault === 'refuse-politely' ? next(new Error('unauthorized')) : next(),
)
server.on('connection', (socket) => {
  const { conn } = socket
  const { query } = socket.handshake
  if (query.fault === 'disconnect') socket.disconnect(true)
  // A close code needs a WebSocket, so wait until the client has upgraded.
  const close = (code) => (code === 1006 ? conn.transport.socket.terminate() : conn.transport.socket.close(code))
  conn.once('upgrade', () => faults.arrived(query, close) || faults.opened(query, close))
})
http.listen(0, '127.0.0.1', () => report(http.address().port))
