import {
  afterClose,
  decodeServerFrame,
  SUBPROTOCOL,
  toSubprotocols,
  type AfterClose,
  type ApiError,
  type ClientFrame,
  type ServerFrame,
} from '@sdk/protocol'
import { createHeartbeat, type Heartbeat, type HeartbeatOptions } from './heartbeat.ts'
import { closeError, thrownError } from './socket-error.ts'

/** The part of the WebSocket interface that the SDK uses. Browsers and `ws` implement it. */
export interface WebSocketLike {
  readonly protocol: string
  /** The state of the socket, which is 1 while it is open. */
  readonly readyState: number
  readonly bufferedAmount: number
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: WebSocketEvent) => void): void
  send(text: string): void
  close(code?: number, reason?: string): void
}

/** Any WebSocket event. Messages have `data`; close events have a `code` and a `reason`. */
export interface WebSocketEvent {
  readonly type: string
  readonly data?: unknown
  readonly code?: number
  readonly reason?: string
}

/** A WebSocket class. */
export type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike

/** The first frame that a client sends. */
export type HelloFrame = Extract<ClientFrame, { o: 'hi' }>

/** The first frame that a server sends. */
export type WelcomeFrame = Extract<ServerFrame, { o: 'ok' }>

/** A source of tokens. `force` requests a new token because the server rejected the last one. */
export type TokenSource = (options: { force: boolean }) => Promise<string | null>

/** The events of a connection. */
export interface ConnectionEvents {
  /** Called after the handshake, when messages can be sent. */
  onReady(welcome: WelcomeFrame): void
  /** Called for every frame except the welcome. */
  onFrame(frame: ServerFrame): void
  /** Called when the connection ends, unless `close` was called. */
  onClose(then: AfterClose, error: ApiError): void
}

export interface SocketConnectionOptions extends ConnectionEvents, HeartbeatOptions {
  url: string
  /** The source of tokens. @default no token */
  token?: TokenSource | undefined
  force: boolean
  hello: () => HelloFrame
  WebSocket: WebSocketClass
}

/** A single connection, from its start to its end. */
export interface SocketConnection extends Pick<Heartbeat, 'probe' | 'stop'> {
  /** Returns the number of bytes in the write buffer. */
  buffered(): number | undefined
  send(text: string): void
  close(): void
}

/** Gets a token, opens a connection, sends the hello frame, responds to pings, and detects a lost server. */
export function openSocketConnection(options: SocketConnectionOptions): SocketConnection {
  let socket: WebSocketLike | undefined
  let isReady = false
  let isDone: boolean | undefined
  const heartbeat = createHeartbeat({
    ...options,
    onProbe: () => isReady && sendFrame({ o: 'p' }),
    onTimeout: () => fail(1006, 'no response'),
  })
  // Runs in a microtask: the caller must have the connection before it can fail.
  // oxlint-disable-next-line typescript/no-misused-promises -- it never rejects
  queueMicrotask(connect)

  return { ...heartbeat, buffered: () => socket?.bufferedAmount, send, close }

  async function connect(): Promise<void> {
    let token: string | null | undefined
    try {
      token = (await options.token?.({ force: options.force })) ?? null
      if (isDone) return
      socket = new options.WebSocket(options.url, toSubprotocols(token))
      socket.addEventListener('open', () => sendFrame(options.hello()))
      socket.addEventListener('message', ({ data }) => onFrame(decodeServerFrame(data as string)))
      socket.addEventListener('close', ({ code, reason }) => fail(code, reason))
      // A close event with more details follows, but in Node.js, an error event without a listener ends the process.
      socket.addEventListener('error', heartbeat.stop)
    } catch (cause) {
      // If the token has been read, the URL or the token must be malformed, and the next attempt would fail in the same
      // way.
      const error = thrownError(cause, token === undefined ? 0 : 400)
      end(error.status === 400 || error.status === 401 ? 'stop' : 'retry', error)
    }
  }

  function onFrame(frame: ServerFrame | null): void {
    // The welcome must be the first frame, and must not be repeated.
    if (!frame || isDone || isReady === (frame.o === 'ok')) return
    heartbeat.alive((frame as Partial<WelcomeFrame>).hb)
    if (frame.o === 'p') sendFrame({ o: 'q' })
    if (isReady) return options.onFrame(frame)
    isReady = true
    options.onReady(frame as WelcomeFrame)
  }

  function sendFrame(frame: ClientFrame): void {
    if (socket?.protocol === SUBPROTOCOL) send(JSON.stringify(frame))
    else fail(4400, `no ${SUBPROTOCOL}`)
  }

  function send(text: string): void {
    // After the server has closed the socket, browsers log a warning for each send until they emit the close event.
    if (socket?.readyState === 1) socket.send(text)
    heartbeat.watch()
  }

  // 1006 is the WebSocket code for a connection that closed without a code.
  function fail(code = 1006, reason?: string): void {
    end(afterClose(code), closeError(code, reason))
  }

  function end(then: AfterClose, error: ApiError): void {
    if (isDone) return
    close()
    options.onClose(then, error)
  }

  function close(): void {
    isDone = true
    heartbeat.stop()
    socket?.close()
  }
}
