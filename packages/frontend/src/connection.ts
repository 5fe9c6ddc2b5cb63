import { decodeServerFrame, SUBPROTOCOL, type ClientFrame, type ServerFrame } from '@sdk/protocol'
import { createPulse, type PulseOptions } from './pulse.ts'

/** What we use of a WebSocket; the browser's and that of `ws` both fit. */
export interface WebSocketLike {
  readonly protocol: string
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
export interface ConnectionOptions extends ConnectionEvents, PulseOptions {
  url: string
  protocols: string[]
  hello: () => HelloFrame
  WebSocket: WebSocketClass
}

/** One connection, from its opening to its end. */
export interface Connection {
  /** How many bytes wait to leave this machine. */
  buffered(): number
  send(text: string): void
  /** Is the server still there? Ends the connection if it does not say so soon. */
  probe(): void
  /** Asks no more by itself, until `probe`. */
  rest(): void
  close(): void
}

/** The close codes that we give ourselves: for what ended without one, and for what cannot work. */
const ABNORMAL = 1006
const BAD_PROTOCOL = 4400

/** Opens a connection, says hello, answers pings, and finds out when nobody is there any more. */
export function openConnection(options: ConnectionOptions): Connection {
  const socket = new options.WebSocket(options.url, options.protocols)
  let isReady = false
  let isDone = false
  const pulse = createPulse({
    ...options,
    onDoubt: () => isReady && tell({ o: 'p' }),
    onSilence: () => end(ABNORMAL, 'the server does not answer'),
  })

  socket.addEventListener('open', () => {
    if (socket.protocol === SUBPROTOCOL) tell(options.hello())
    else end(BAD_PROTOCOL, `the server does not speak ${SUBPROTOCOL}`)
  })
  socket.addEventListener('message', ({ data }) => {
    const frame = isDone ? null : decodeServerFrame(data as string)
    if (frame !== null && (isReady || frame.o === 'ok')) receive(frame)
  })
  socket.addEventListener('close', ({ code = ABNORMAL, reason = '' }) => end(code, reason))
  // A close follows every error, and tells more; but an error that nobody hears ends a Node process.
  socket.addEventListener('error', () => {})

  return {
    ...pulse,
    buffered: () => socket.bufferedAmount,
    send(text) {
      socket.send(text)
      pulse.watch()
    },
    close: () => end(ABNORMAL, ''),
  }

  function receive(frame: ServerFrame): void {
    pulse.beat(frame.o === 'ok' ? frame.hb : undefined)
    if (frame.o === 'p') tell({ o: 'q' })
    if (frame.o === 'p' || frame.o === 'q') return
    if (frame.o !== 'ok') return options.onFrame(frame)
    isReady = true
    options.onReady(frame)
  }

  function tell(frame: ClientFrame): void {
    socket.send(JSON.stringify(frame))
  }

  function end(code: number, reason: string): void {
    if (isDone) return
    isDone = true
    pulse.rest()
    socket.close()
    options.onClose(code, reason)
  }
}
