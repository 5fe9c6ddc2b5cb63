import { afterClose, ApiError, codeOfStatus, type ServerFrame } from '@sdk/protocol'
import { systemClock, type Clock } from './clock.ts'
import type { ConnectionEvents, HelloFrame, WebSocketClass, WelcomeFrame } from './connection.ts'
import { createLines, type TokenSource } from './lines.ts'
import { pageEvents, type PageEvents } from './page-events.ts'
import { createPresence, type SocketStatus } from './presence.ts'
import type { Patience, PulseOptions } from './pulse.ts'
import { createRetry, type RetrySettings } from './retry.ts'

/** Options of `createReconnectingSocket` that have defaults. */
export interface SocketSettings extends Patience, RetrySettings {
  /** @default the platform's */
  WebSocket?: WebSocketClass | undefined
  /** Asked at every attempt; `force` after the server refused the last token. @default no token */
  token?: TokenSource | undefined
  /** What the page tells. @default the events of the page, if there is one */
  page?: PageEvents | undefined
  clock?: Clock | undefined
}

/** Options of `createReconnectingSocket`. */
export interface ReconnectingSocketOptions
  extends SocketSettings, Omit<ConnectionEvents, 'onClose'>, Pick<PulseOptions, 'waitingSince'> {
  url: string
  /** The first frame of every connection. */
  hello: () => HelloFrame
  /** `error` says why; without it the last one stands, until `open`. */
  onStatus(status: SocketStatus, error?: ApiError): void
}

/** A WebSocket of `sdk.v1` that comes back. */
export interface ReconnectingSocket {
  /** How many bytes wait to leave this machine; infinitely many where there is no connection. */
  buffered(): number
  /** Sends the text of a frame; it is lost where there is no connection. */
  send(text: string): void
  /** Ends it for good. */
  close(): void
}

/** Opens a socket and keeps it open, by the rules of the close codes; what its messages mean is the caller's. */
export function createReconnectingSocket(options: ReconnectingSocketOptions): ReconnectingSocket {
  const { WebSocket = globalThis.WebSocket, clock = systemClock, page = pageEvents, onStatus } = options
  if (WebSocket === undefined) throw new TypeError('there is no WebSocket here: pass one as { WebSocket }')
  const lines = createLines({ ...options, WebSocket, clock, onReady, onFrame, onClose, onFailure })
  const retry = createRetry({ ...options, clock }, () => void lines.open())
  const presence = createPresence({ page, lines, retry, onStatus })
  let wasRefused = false
  let isEnded = false
  onStatus('connecting')
  void lines.open()

  return {
    buffered: () => lines.current()?.buffered() ?? Infinity,
    send: (text) => lines.current()?.send(text),
    close: () => end('closed'),
  }

  function onReady(welcome: WelcomeFrame): void {
    retry.opened(welcome.spread)
    onStatus('open')
    options.onReady(welcome)
  }

  function onFrame(frame: ServerFrame): void {
    presence.works()
    if (frame.o === 'bye') retry.after(frame.after)
    else options.onFrame(frame)
  }

  function onClose(code: number, reason: string): void {
    const error = closeError(code, reason)
    const then = afterClose(code)
    // The next connection is on its way already, and will hear itself what there is to hear.
    if (lines.isOpening()) return presence.lost(error)
    if (retry.wasStable()) wasRefused = false
    if (then === 'finish') return end('closed')
    if (then === 'stop' || (then === 'refresh' && wasRefused)) return end('failed', error)
    wasRefused ||= then === 'refresh'
    presence.lost(error)
    if (then === 'refresh') void lines.open(true)
    else retry.again(then === 'retry-later')
  }

  function onFailure(cause: unknown): void {
    const error = thrownError(cause)
    if (error.status === 400 || error.status === 401) return end('failed', error)
    presence.lost(error)
    retry.again(false)
  }

  function end(status: SocketStatus, error?: ApiError): void {
    if (isEnded) return
    isEnded = true
    presence.stop()
    retry.rest()
    lines.leave(true)
    onStatus(status, error)
  }
}

function closeError(code: number, reason: string): ApiError {
  const status = code >= 4400 && code < 4600 ? code - 4000 : 0
  const name = status === 0 ? 'NETWORK_ERROR' : codeOfStatus(status)
  return new ApiError(name, `The connection was closed (${code}${reason && `: ${reason}`})`, { status })
}

/** What has no status is a fault on our side: it would fail again. */
function thrownError(cause: unknown): ApiError {
  const { status } = cause as ApiError
  return status === undefined ? new ApiError('INVALID_REQUEST', String(cause), { cause }) : (cause as ApiError)
}
