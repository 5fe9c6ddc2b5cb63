import type { ApiError } from '@sdk/protocol'
import { systemClock, type Clock } from '../clock.ts'
import type { ConnectionEvents, HelloFrame, TokenSource, WebSocketClass } from './socket-connection.ts'
import { createLine, isTerminal, type SocketStatus } from './line.ts'
import { pageEvents, type PageEvents } from '../page-events.ts'
import type { SocketTimeouts, HeartbeatOptions } from './heartbeat.ts'
import type { ReconnectSettings } from './reconnect.ts'

/** Options of `createReconnectingSocket` that have defaults. */
export interface SocketSettings extends SocketTimeouts, ReconnectSettings {
  /** What opens a connection; Node before 22 has none. @default the platform's */
  WebSocket?: WebSocketClass | undefined
  /** Asked at every attempt; `force` after the server refused the last token. @default no token */
  token?: TokenSource | undefined
  /** What the page tells. @default the events of the page, if there is one */
  page?: PageEvents | undefined
  /** What tells the time. @default the time of this machine */
  clock?: Clock | undefined
}

/** Options of `createReconnectingSocket`. */
export interface ReconnectingSocketOptions
  extends SocketSettings, Omit<ConnectionEvents, 'onClose'>, Pick<HeartbeatOptions, 'waitingSince'> {
  /** Where to: `wss://…`. */
  url: string
  /** The first frame of every connection. */
  hello: () => HelloFrame
  /** `error` says why; without it the last one stands, until `onReady`. */
  onStatus(status: SocketStatus, error?: ApiError): void
}

/** A WebSocket of `sdk.v1` that comes back. */
export interface ReconnectingSocket {
  /** How many bytes wait to leave this machine; not a number where there is no connection. */
  buffered(): number
  /** Sends the text of a frame; it is lost where there is no connection. */
  send(text: string): void
  /** Ends it for good. */
  close(): void
}

/** Opens a socket and keeps it open, by the rules of the close codes; what its messages mean is the caller's. */
export function createReconnectingSocket(options: ReconnectingSocketOptions): ReconnectingSocket {
  const { WebSocket = globalThis.WebSocket, clock = systemClock, page = pageEvents } = options
  if (!WebSocket) throw new TypeError('no WebSocket: pass { WebSocket }')
  let isEnded: boolean | undefined
  onStatus('connecting')
  const line = createLine({ ...options, WebSocket, clock, onStatus })
  const stopPage = page((event) => line[event]())
  return { ...line, close: () => onStatus('closed') }

  /** Reports the status, and nothing after the end: a listener may close the socket in the middle of our own work. */
  function onStatus(status: SocketStatus, error?: ApiError): void {
    if (isEnded) return
    isEnded = isTerminal(status)
    if (isEnded) {
      stopPage()
      line.close()
    }
    options.onStatus(status, error)
  }
}
