import { once } from 'node:events'
import { WebSocketServer } from 'ws'

/** Serves echo and rooms on bare ws; `broadcast` sends a message to the members of a room. Returns the port. */
export async function start(broadcast) {
  const rooms = new Map()
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  server.on('connection', (socket) => {
    socket.on('error', () => {}) // a client that is gone
    socket.on('message', (data) => {
      const message = JSON.parse(data)
      if (message.op === 'echo') socket.send(JSON.stringify(message))
      else if (message.op === 'publish') broadcast(rooms.get(message.room), message)
      else join(socket, message.room)
    })
  })
  await once(server, 'listening')
  return server.address().port

  function join(socket, room) {
    const members = rooms.get(room) ?? new Set()
    rooms.set(room, members.add(socket))
    socket.on('close', () => members.delete(socket))
    socket.send('{"op":"joined"}')
  }
}
