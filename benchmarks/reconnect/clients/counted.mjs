import { WebSocket } from 'ws'

/** The WebSocket of `ws`, which reports every connection attempt. */
export function countedWebSocket(onAttempt) {
  return class extends WebSocket {
    constructor(...args) {
      super(...args)
      // reconnecting-websocket removes its listeners before it aborts a connection. Node exits on the unhandled error.
      this.on('error', () => {})
      onAttempt()
    }
  }
}
