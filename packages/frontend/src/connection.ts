import { CLOSE, decodeServerFrame, encodeFrame, SUBPROTOCOL, type ClientFrame, type ServerFrame } from '@sdk/protocol'
import type { Clock } from './clock.ts'

/** What we use of a WebSocket; the browser's and that of `ws` both fit. */
export interface WebSocketLike {
  readonly protocol: string
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

/** What happens on a connection. */
export interface ConnectionEvents {
  /** The server knows us: messages may go. */
  onReady(welcome: WelcomeFrame): void
  /** Any frame but welcome, probe and answer. */
  onFrame(frame: ServerFrame): void
  /** The end, exactly once. */
  onClose(code: number, reason: string): void
}

/** Options of `openConnection`. */
export interface ConnectionOptions extends ConnectionEvents {
  url: string
  protocols: string[]
  hello: () => HelloFrame
  WebSocket: WebSocketClass
  clock: Clock
  openTimeoutMs: number
  probeTimeoutMs: number
}

/** One connection, from its opening to its end. */
export interface Connection {
  send(text: string): void
  close(): void
}

/** The close code of a connection that ended without one. */
const ABNORMAL = 1006

/** Opens a connection, says hello, answers pings, and finds out when nobody is there any more. */
export function openConnection(options: ConnectionOptions): Connection {
  const { clock, probeTimeoutMs } = options
  const socket = new options.WebSocket(options.url, options.protocols)
  let idleMs = Number.POSITIVE_INFINITY
  let isDone = false
  let stopTimer = clock.after(options.openTimeoutMs, () => end(ABNORMAL, 'the connection did not open in time'))

  socket.addEventListener('open', () => {
    if (socket.protocol === SUBPROTOCOL) tell(options.hello())
    else end(CLOSE.badProtocol, `the server does not speak ${SUBPROTOCOL}`)
  })
  socket.addEventListener('message', ({ data }) => {
    const frame = typeof data === 'string' && !isDone ? decodeServerFrame(data) : null
    if (frame !== null) receive(frame)
  })
  socket.addEventListener('close', ({ code, reason }) => end(code ?? ABNORMAL, reason ?? ''))
  // A close follows every error, and tells more; but an error that nobody hears ends a Node process.
  socket.addEventListener('error', () => {})

  return { send: (text) => socket.send(text), close: () => end(CLOSE.normal, '') }

  function receive(frame: ServerFrame): void {
    // A newer server may ping in a shorter rhythm; five seconds are for the way.
    if (frame.o === 'ok') idleMs = frame.hb + 5000
    watch()
    if (frame.o === 'ok') options.onReady(frame)
    else if (frame.o === 'p') tell({ o: 'q' })
    else if (frame.o !== 'q') options.onFrame(frame)
  }

  function watch(): void {
    if (idleMs === Number.POSITIVE_INFINITY) return
    stopTimer()
    stopTimer = clock.after(idleMs, probe)
  }

  function probe(): void {
    tell({ o: 'p' })
    stopTimer = clock.after(probeTimeoutMs, () => end(ABNORMAL, 'the server does not answer'))
  }

  function tell(frame: ClientFrame): void {
    socket.send(encodeFrame(frame))
  }

  function end(code: number, reason: string): void {
    if (isDone) return
    isDone = true
    stopTimer()
    socket.close()
    options.onClose(code, reason)
  }
}
