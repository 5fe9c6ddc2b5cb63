import { countedWebSocket } from './counted.mjs'

/** Opens a WebSocket-compatible client with default settings, except for the WebSocket class. */
export function openPlain(load) {
  return ({ base, query, tell }) => {
    const ReconnectingWebSocket = load()
    const url = `${base.replace(/^http/, 'ws')}/ws/feed?${new URLSearchParams(query)}`
    const socket = new ReconnectingWebSocket(url, [], { WebSocket: countedWebSocket(() => tell('attempt')) })
    socket.addEventListener('open', () => tell('up'))
    socket.addEventListener('close', () => tell('down'))
    socket.addEventListener('error', () => {}) // a close comes too
    return {
      send(message) {
        socket.send(JSON.stringify(message))
        return true
      },
      close: () => socket.close(),
    }
  }
}
