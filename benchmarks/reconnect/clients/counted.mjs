import { WebSocket } from 'ws'

/** The WebSocket of `ws`, which tells of every connection that is tried. */
export function countedWebSocket(onAttempt) {
  return class extends WebSocket {
    constructor(...args) {
      super(...args)
      onAttempt()
    }
  }
}
