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
import { createHeartbeat, type HeartbeatOptions } from './heartbeat.ts'
import { closeError, thrownError } from './socket-error.ts'

/** What we use of a WebSocket; the browser's and that of `ws` both fit. */
export interface WebSocketLike {
  readonly protocol: string
  /** 1 while it is open. */
  readonly readyState: number
  readonly bufferedAmount: number
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: WebSocketEvent) => void): void
  send(text: string): void
  close(code?: number, reason?: string): void
}

/** Any event of a WebSocket: `data` on messages, `code` and `reason` on the close. */
export interface WebSocketEvent {
  readonly type: string
  readonly data?: unknown
  readonly code?: number
  readonly reason?: string
}

/** A WebSocket class. */
export type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike

/** The first frame of a client. */
export type HelloFrame = Extract<ClientFrame, { o: 'hi' }>

/** The first frame of a server. */
export type WelcomeFrame = Extract<ServerFrame, { o: 'ok' }>

/** A source of tokens; `force` wants a new one, since the server refused the last. */
export type TokenSource = (options: { force: boolean }) => Promise<string | null>

/** What happens on a connection. */
export interface ConnectionEvents {
  /** The server knows us: messages may go. */
  onReady(welcome: WelcomeFrame): void
  /** Any frame but the welcome. */
  onFrame(frame: ServerFrame): void
  /** The end, unless we made it ourselves. */
  onClose(then: AfterClose, error: ApiError): void
}

/** Options of `openConnection`. */
export interface SocketConnectionOptions extends ConnectionEvents, HeartbeatOptions {
  url: string
  /** @default no token */
  token?: TokenSource | undefined
  force: boolean
  hello: () => HelloFrame
  WebSocket: WebSocketClass
}

/** One connection, from its opening to its end. */
export interface SocketConnection {
  /** How many bytes wait to leave this machine. */
  buffered(): number | undefined
  send(text: string): void
  /** Is the server still there? Ends the connection if it does not say so soon. */
  probe(): void
  /** Asks no more by itself, until `probe`. */
  stop(): void
  close(): void
}

/** Gets a token, opens a connection, says hello, answers pings, and finds out when nobody is there any more. */
export function openSocketConnection(options: SocketConnectionOptions): SocketConnection {
  let socket: WebSocketLike | undefined
  let isReady = false
  let isDone: boolean | undefined
  const pulse = createHeartbeat({
    ...options,
    onProbe: () => isReady && tell({ o: 'p' }),
    onTimeout: () => lose(1006, 'no answer'),
  })
  // In a microtask: the caller must have the connection before it hears that it failed.
  queueMicrotask(() => void connect())

  return { ...pulse, buffered: () => socket?.bufferedAmount, send, close }

  async function connect(): Promise<void> {
    let token: string | null | undefined
    try {
      token = (await options.token?.({ force: options.force })) ?? null
      if (isDone) return
      socket = new options.WebSocket(options.url, toSubprotocols(token))
      socket.addEventListener('open', () => tell(options.hello()))
      socket.addEventListener('message', ({ data }) => hear(decodeServerFrame(data as string)))
      socket.addEventListener('close', ({ code, reason }) => lose(code, reason))
      // Every error is followed by a close, which tells more. But in Node, an error without a listener ends the
      // process.
      socket.addEventListener('error', pulse.stop)
    } catch (cause) {
      // If there is a token, then the URL or the token is malformed, and the next attempt would fail the same way.
      const error = thrownError(cause, token === undefined ? 0 : 400)
      end(error.status === 400 || error.status === 401 ? 'stop' : 'retry', error)
    }
  }

  function hear(frame: ServerFrame | null): void {
    // The welcome comes first, and once.
    if (!frame || isDone || isReady === (frame.o === 'ok')) return
    pulse.alive((frame as Partial<WelcomeFrame>).hb)
    if (frame.o === 'p') tell({ o: 'q' })
    if (isReady) return options.onFrame(frame)
    isReady = true
    options.onReady(frame as WelcomeFrame)
  }

  function tell(frame: ClientFrame): void {
    if (socket?.protocol === SUBPROTOCOL) send(JSON.stringify(frame))
    else lose(4400, `no ${SUBPROTOCOL}`)
  }

  function send(text: string): void {
    // After the server has hung up, browsers print a warning at each send, before they tell us of the close.
    if (socket?.readyState === 1) socket.send(text)
    pulse.watch()
  }

  // 1006 is WebSocket's own word for an end without a code.
  function lose(code = 1006, reason?: string): void {
    end(afterClose(code), closeError(code, reason))
  }

  function end(then: AfterClose, error: ApiError): void {
    if (isDone) return
    close()
    options.onClose(then, error)
  }

  function close(): void {
    isDone = true
    pulse.stop()
    socket?.close()
  }
}
