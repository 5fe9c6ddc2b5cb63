import { createServer } from 'node:http'
import { Server } from 'socket.io'

/** Serves echo and rooms on socket.io, over WebSocket only. Returns the port. */
export async function start(options = {}) {
  const http = createServer()
  const io = new Server(http, { transports: ['websocket'], serveClient: false, perMessageDeflate: false, ...options })
  io.on('connection', (socket) => {
    socket.on('message', (message) => {
      if (message.op === 'echo') socket.emit('message', message)
      else if (message.op === 'publish') io.to(message.room).emit('message', message)
      else {
        void socket.join(message.room)
        socket.emit('message', { op: 'joined' })
      }
    })
  })
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve))
  return http.address().port
}
