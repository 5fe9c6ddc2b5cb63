import { codeOfStatus, decodeClientFrame, SUBPROTOCOL, type ClientFrame, type ServerFrame } from '@sdk/protocol'
import type { WebSocketClass, WebSocketEvent, WebSocketLike } from './socket-connection.ts'

/** The server's end of a fake connection. */
export interface FakeSocket extends WebSocketLike {
  readonly url: string
  readonly protocols: string[]
  /** The frames that the client has sent, in order. */
  readonly sent: ClientFrame[]
  readonly isClosed: boolean
  bufferedAmount: number
  readyState: number
  /** Accepts the connection. */
  accept(protocol?: string): void
  /** Accepts the connection and responds to `hi` with `ok`. */
  welcome(change?: Partial<Extract<ServerFrame, { o: 'ok' }>>): void
  deliver(frame: ServerFrame): void
  /** Delivers any text, even if it is not a frame. */
  deliverText(text: string): void
  /** Closes the connection, with a reason in the server's format. */
  hangUp(code: number, reason?: string): void
  /** Returns the messages among the sent frames. */
  messages(): Extract<ClientFrame, { o: 'm' }>[]
}

/** Creates WebSockets without a network; each new one is in `sockets`. */
export function createFakeWebSockets(): { WebSocket: WebSocketClass; sockets: FakeSocket[]; last(): FakeSocket } {
  const sockets: FakeSocket[] = []
  function FakeWebSocket(url: string, protocols: string[]): FakeSocket {
    const socket = createFakeSocket(url, protocols)
    sockets.push(socket)
    return socket
  }
  return {
    WebSocket: FakeWebSocket as unknown as WebSocketClass,
    sockets,
    last() {
      const socket = sockets.at(-1)
      if (socket === undefined) throw new Error('no socket was opened')
      return socket
    },
  }
}

function createFakeSocket(url: string, protocols: string[]): FakeSocket {
  const listeners = new Map<string, ((event: WebSocketEvent) => void)[]>()
  const sent: ClientFrame[] = []
  let protocol = ''
  let isClosed = false
  const emit = (event: WebSocketEvent): void => listeners.get(event.type)?.forEach((listener) => listener(event))
  const socket: FakeSocket = {
    url,
    protocols,
    sent,
    bufferedAmount: 0,
    readyState: 0,
    get protocol() {
      return protocol
    },
    get isClosed() {
      return isClosed
    },
    addEventListener: (type, listener) => void listeners.set(type, [...(listeners.get(type) ?? []), listener]),
    send(text) {
      if (socket.readyState !== 1) throw new Error('the socket is not open')
      const frame = decodeClientFrame(text)
      if (frame === null) throw new Error(`not a frame of a client: ${text}`)
      sent.push(frame)
    },
    close(code = 1005) {
      if (!isClosed) socket.hangUp(code)
    },
    accept(accepted = SUBPROTOCOL) {
      protocol = accepted
      socket.readyState = 1
      emit({ type: 'open' })
    },
    welcome(change = {}) {
      socket.accept()
      const limits = { hb: 20_000, win: 256, max: 1_048_576, spread: 2000 }
      socket.deliver({ o: 'ok', sid: 's1', res: false, ack: 0, ...limits, ...change })
    },
    deliver: (frame) => socket.deliverText(JSON.stringify(frame)),
    deliverText: (text) => emit({ type: 'message', data: text }),
    hangUp(code, reason = code < 4400 ? '' : `${codeOfStatus(code - 4000)}: because`) {
      socket.readyState = 3
      isClosed = true
      emit({ type: 'close', code, reason })
    },
    messages: () => sent.filter((frame) => frame.o === 'm'),
  }
  return socket
}
