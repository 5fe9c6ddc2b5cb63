import { decodeClientFrame, SUBPROTOCOL, type ClientFrame, type ServerFrame } from '@sdk/protocol'
import type { WebSocketClass, WebSocketEvent, WebSocketLike } from '@sdk/frontend'

/** The server's end of a fake connection, which is accepted immediately. */
export interface FakeSocket extends WebSocketLike {
  readonly url: string
  readonly protocols: string[]
  readonly sent: ClientFrame[]
  readonly isClosed: boolean
  deliver(frame: ServerFrame): void
  hangUp(code: number, reason?: string): void
}

/** Creates WebSockets without a network. */
export function createFakeWebSockets(): { WebSocket: WebSocketClass; sockets: FakeSocket[] } {
  const sockets: FakeSocket[] = []
  function FakeWebSocket(url: string, protocols: string[]): FakeSocket {
    const socket = createFakeSocket(url, protocols)
    sockets.push(socket)
    return socket
  }
  return { WebSocket: FakeWebSocket as unknown as WebSocketClass, sockets }
}

function createFakeSocket(url: string, protocols: string[]): FakeSocket {
  const listeners = new Map<string, (event: WebSocketEvent) => void>()
  const sent: ClientFrame[] = []
  let isClosed = false
  const socket: FakeSocket = {
    url,
    protocols,
    protocol: SUBPROTOCOL,
    sent,
    bufferedAmount: 0,
    readyState: 1,
    get isClosed() {
      return isClosed
    },
    addEventListener: (type, listener) => void listeners.set(type, listener),
    send(text) {
      const frame = decodeClientFrame(text)
      if (frame === null) throw new Error(`not a frame of a client: ${text}`)
      sent.push(frame)
      if (frame.o === 'hi')
        socket.deliver({ o: 'ok', sid: 's', res: false, ack: 0, hb: 20_000, win: 256, max: 1_048_576, spread: 0 })
    },
    close: () => void (isClosed = true),
    deliver: (frame) => listeners.get('message')?.({ type: 'message', data: JSON.stringify(frame) }),
    hangUp(code, reason = '') {
      isClosed = true
      listeners.get('close')?.({ type: 'close', code, reason })
    },
  }
  queueMicrotask(() => isClosed || listeners.get('open')?.({ type: 'open' }))
  return socket
}
