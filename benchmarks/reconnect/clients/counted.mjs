import { WebSocket } from 'ws'

/** The WebSocket of `ws`, which tells of every connection that is tried. */
export function countedWebSocket(onAttempt) {
  return class extends WebSocket {
    constructor(...args) {
      super(...args)
      // reconnecting-websocket stops listening before it gives up on a connection, and that ends a Node process.
      this.on('error', () => {})
      onAttempt()
    }
  }
}
