// Default settings: it starts with HTTP and upgrades to `ws`, which it depends on.
import { io } from 'socket.io-client'

export function open({ base, query, tell }) {
  const socket = io(base, { query, forceNew: true })
  tell('attempt')
  socket.io.on('reconnect_attempt', () => tell('attempt'))
  socket.on('connect', () => tell('up'))
  socket.on('disconnect', () => tell(socket.active ? 'down' : 'over'))
  socket.on('connect_error', () => socket.active || tell('over'))
  return {
    send(message) {
      socket.emit('message', message)
      return true
    },
    close: () => socket.disconnect(),
  }
}
