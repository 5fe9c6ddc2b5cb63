import type { WebSocketClass, WebSocketEvent, WebSocketLike } from '@sdk/frontend'

/** The server's end of a connection without a network. */
export interface ServerSocket extends WebSocketLike {
  readonly url: string
  readonly protocols: string[]
  readyState: number
  /** The frames that the server received. */
  readonly received: string[]
  accept(protocol?: string): void
  deliver(text: string): void
  hangUp(code: number, reason?: string): void
}

/** Creates WebSockets without a network; the server's ends are in `sockets`. */
export function createServerSockets(): { WebSocket: WebSocketClass; sockets: ServerSocket[]; last(): ServerSocket } {
  const sockets: ServerSocket[] = []
  const WebSocket = function (url: string, protocols: string[]): ServerSocket {
    const socket = createServerSocket(url, protocols)
    sockets.push(socket)
    return socket
  } as unknown as WebSocketClass
  return {
    WebSocket,
    sockets,
    last() {
      const socket = sockets.at(-1)
      if (socket === undefined) throw new Error('no socket was opened')
      return socket
    },
  }
}

function createServerSocket(url: string, protocols: string[]): ServerSocket {
  const listeners: [type: string, listener: (event: WebSocketEvent) => void][] = []
  const emit = (event: WebSocketEvent): void =>
    listeners.forEach(([type, listener]) => type === event.type && listener(event))
  let protocol = ''
  const socket: ServerSocket = {
    url,
    protocols,
    received: [],
    bufferedAmount: 0,
    readyState: 0,
    get protocol() {
      return protocol
    },
    addEventListener: (type, listener) => void listeners.push([type, listener]),
    send: (text) => void socket.received.push(text),
    close: (code = 1005, reason = '') => socket.readyState < 3 && socket.hangUp(code, reason),
    accept(accepted = protocols[0] ?? '') {
      protocol = accepted
      socket.readyState = 1
      emit({ type: 'open' })
    },
    deliver: (data) => emit({ type: 'message', data }),
    hangUp(code, reason = '') {
      socket.readyState = 3
      emit({ type: 'close', code, reason })
    },
  }
  return socket
}
