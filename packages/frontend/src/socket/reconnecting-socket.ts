import type { ApiError } from '@sdk/protocol'
import { systemClock, type Clock } from '../clock.ts'
import { pageEvents, type PageEvent, type PageEvents } from '../page-events.ts'
import type { HeartbeatOptions, SocketTimeouts } from './heartbeat.ts'
import { createReconnect, type ReconnectSettings } from './reconnect.ts'
import {
  openSocketConnection,
  type ConnectionEvents,
  type HelloFrame,
  type SocketConnection,
  type SocketConnectionOptions,
  type TokenSource,
  type WebSocketClass,
} from './socket-connection.ts'

/** The status of a socket. `closed` and `failed` are final; `failed` has an error. */
export type SocketStatus = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'offline' | 'closed' | 'failed'

/** Options for `createReconnectingSocket` that have defaults. */
export interface SocketSettings extends SocketTimeouts, ReconnectSettings {
  /** The class that opens a connection. Required in Node.js before version 22. @default the platform's `WebSocket` */
  WebSocket?: WebSocketClass | undefined
  /**
   * Returns the access token. Called before every connection attempt. `force` is true if the server rejected the last
   * token.
   * @default no token
   */
  token?: TokenSource | undefined
  /** The source of page events. @default the events of the page, if there is one */
  page?: PageEvents | undefined
  /** The source of time. @default the system clock */
  clock?: Clock | undefined
}

/** Options for `createReconnectingSocket`. */
export interface ReconnectingSocketOptions
  extends SocketSettings, Omit<ConnectionEvents, 'onClose'>, Pick<HeartbeatOptions, 'waitingSince'> {
  /** The URL of the socket: `wss://…`. */
  url: string
  /** Returns the first frame of every connection. */
  hello: () => HelloFrame
  /** Called when the status changes. Without an `error`, the last error is kept until `onReady`. */
  onStatus(status: SocketStatus, error?: ApiError): void
}

/** An `sdk.v1` WebSocket that reconnects. */
export interface ReconnectingSocket {
  /** Returns the number of bytes in the write buffer, or `NaN` if there is no connection. */
  buffered(): number
  /** Sends a serialized frame. The frame is dropped if there is no connection. */
  send(text: string): void
  /** Closes the socket permanently. */
  close(): void
}

/** Returns whether the status is final. */
export function isTerminal(status: SocketStatus): boolean {
  return status === 'closed' || status === 'failed'
}

/** Creates a socket that reconnects if the close code allows it. The caller interprets its messages. */
export function createReconnectingSocket(options: ReconnectingSocketOptions): ReconnectingSocket {
  const { WebSocket = globalThis.WebSocket, clock = systemClock, page = pageEvents } = options
  if (!WebSocket) throw new TypeError('no WebSocket: pass { WebSocket }')
  let reported: SocketStatus = 'connecting'
  let stopDelay: (() => void) | undefined
  // Until `quietUntil`, a restart that the server announced does not change the status.
  let quietUntil = 0
  onStatus(reported)
  const onRestart = (until: number): number => (quietUntil = until)
  const connections = createConnections({ ...options, WebSocket, clock, onStatus, onRestart })
  const stopPage = page((event) => connections[event]())
  return { ...connections, close: () => onStatus('closed') }

  /**
   * Reports the status, unless a final status has already been reported: a listener may close the socket while an event
   * is being handled.
   */
  function onStatus(status: SocketStatus, error?: ApiError): void {
    if (isTerminal(reported)) return
    stopDelay?.()
    const delay = quietUntil - clock.now()
    if (status === 'reconnecting' && reported === 'open' && delay > 0) {
      stopDelay = clock.after(delay, () => onStatus(status, error))
      return
    }
    reported = status
    if (isTerminal(status)) {
      stopPage()
      connections.close()
    }
    options.onStatus(status, error)
  }
}

type ResolvedOptions = ReconnectingSocketOptions &
  Pick<SocketConnectionOptions, 'WebSocket' | 'clock'> & {
    /** Called when the server announces a restart, with the time until which it may take. */
    readonly onRestart: (until: number) => void
  }

/** Opens a connection, and replaces it whenever it is lost or the server requests a new one. */
function createConnections(options: ResolvedOptions): ReconnectingSocket & Record<PageEvent, () => void> {
  const { onStatus } = options
  const reconnect = createReconnect(options, open)
  // `current` carries messages. `next` replaces it after the server's welcome.
  let [current, next]: (SocketConnection | undefined)[] = []
  let isOffline = false
  open(false)

  return {
    buffered: () => current?.buffered() ?? NaN,
    send: (text) => current?.send(text),
    wake: onPageVisible,
    /** Stops all attempts until the page is visible again or a frame arrives. */
    offline() {
      isOffline = true
      cancelNext()
      current?.stop()
      onStatus('offline')
    },
    close() {
      cancelNext()
      current?.close()
      current = undefined
    },
  }

  function open(force: boolean): void {
    // If `force` is true, the server has just rejected a token, so it is reachable even after an `offline` event.
    if (next || (isOffline && !force)) return
    const opening: SocketConnection = (next = openSocketConnection({
      ...options,
      force,
      onReady(welcome) {
        current?.close()
        current = opening
        next = undefined
        reconnect.opened(welcome.spread)
        options.onReady(welcome)
        onStatus('open')
      },
      onFrame(frame) {
        if (frame.o === 'bye') options.onRestart(reconnect.leave(frame.after))
        options.onFrame(frame)
        if (isOffline && current) onPageVisible()
      },
      onClose(then, error) {
        if (opening === current) current = undefined
        else next = undefined
        // While the next connection is being opened, only its own close matters.
        if (!next && !reconnect.lost(then)) return then === 'finish' ? onStatus('closed') : onStatus('failed', error)
        if (!current) onStatus(isOffline ? 'offline' : 'reconnecting', error)
      },
    }))
  }

  function onPageVisible(): void {
    if (current) current.probe()
    else if (!next) reconnect.retryNow()
    if (isOffline) onStatus(current ? 'open' : 'reconnecting')
    isOffline = false
  }

  function cancelNext(): void {
    reconnect.stop()
    next?.close()
    next = undefined
  }
}
