import type { Server as HttpServer, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { internals, type SocketInternals } from './node-internals.ts'

/** Options for draining a server. */
export interface DrainOptions {
  /** How long pending requests may take, in ms. Remaining connections are then destroyed. @default 30_000 */
  grace?: number
  /** How long idle connections are kept open, in ms. Their clients may be about to send a request. @default 0 */
  linger?: number
}

/** The keys of the connection state, which is stored on the socket itself because that is faster than using a map. */
const LAST: unique symbol = Symbol('last answer')
const IDLE_SINCE: unique symbol = Symbol('idle since')
const UNREAD: unique symbol = Symbol('unread since')
const PENDING: unique symbol = Symbol('waiting answers')
const REJECTED: unique symbol = Symbol('refused')
const ADDRESS: unique symbol = Symbol('address')
const SECURE: unique symbol = Symbol('secure')

/** A socket with its connection state. */
export type TrackedSocket = Socket & {
  [LAST]?: ServerResponse | undefined
  /** The time at which the connection became idle, and the number of bytes read by then. */
  [IDLE_SINCE]?: { readonly since: number; readonly bytes: number } | undefined
  /** The time at which the client stopped reading, and the number of bytes flushed by then. */
  [UNREAD]?: { readonly since: number; readonly bytes: number } | undefined
  /** The pipelined responses that are waiting for an earlier one. */
  [PENDING]?: Set<ServerResponse>
  [REJECTED]?: boolean
  [ADDRESS]?: string
  [SECURE]?: boolean
}

/** How often connections are checked, in ms, while the server runs and while it drains. */
export const CHECK_INTERVAL_MS = 1_000
const DRAIN_INTERVAL_MS = 20

/** Records the response to the latest request on a connection. */
export function trackResponse(socket: TrackedSocket, response: ServerResponse): void {
  socket[LAST] = response
  socket[IDLE_SINCE] = undefined
}

/** The maximum number of pipelined requests per connection. Clients that use pipelining send only a few. */
const MAX_PENDING_RESPONSES = 100

/**
 * Returns whether a connection has too many pipelined requests and must be closed. Otherwise, a client that sends
 * thousands of requests and reads nothing would make the server buffer the start of each response and keep a file open
 * for each.
 */
export function hasTooManyPending(socket: TrackedSocket, response: ServerResponse): boolean {
  if (response.socket !== null) return false
  const waiting = (socket[PENDING] ??= trackPending(socket))
  waiting.add(response)
  response.once('socket', () => waiting.delete(response))
  return waiting.size > MAX_PENDING_RESPONSES
}

/**
 * Creates the set of a connection's pipelined responses, and closes them on disconnect. Node closes only the current
 * response, so the other handlers would not stop.
 */
function trackPending(socket: TrackedSocket): Set<ServerResponse> {
  const waiting = new Set<ServerResponse>()
  socket.once('close', () => {
    for (const response of waiting) response.destroy().emit('close')
  })
  return waiting
}

/** Records that a connection was upgraded, so that it is never treated as an idle HTTP connection. */
export function trackUpgrade(socket: TrackedSocket): void {
  socket[LAST] = undefined
}

/** Returns whether this is the first rejection on a connection. Input after the first rejection is ignored. */
export function isFirstRejection(socket: TrackedSocket): boolean {
  if (socket[REJECTED] === true) return false
  socket[REJECTED] = true
  return true
}

/** Returns whether the client has disconnected. A pipelined response emits no event, so its socket is checked. */
export function isClientGone({ destroyed, socket, req }: ServerResponse): boolean {
  // The socket of an aborted request is null, although its response may still have one.
  return destroyed || (socket === null && (req.socket as Socket | null)?.destroyed === true)
}

/** Calls `callback` once when the client disconnects or the response closes. Returns a function to stop listening. */
export function onClientGone(response: ServerResponse, callback: () => void): () => void {
  const connection = response.socket === null ? (response.req.socket as Socket | null) : null
  const forget = (): void => {
    response.off('close', onClose)
    connection?.off('close', onClose)
  }
  const onClose = (): void => {
    forget()
    callback()
  }
  response.on('close', onClose)
  connection?.on('close', onClose)
  return forget
}

/** Returns the remote address. It is cached because Node would query the operating system for each request. */
export function addressOf(socket: TrackedSocket): string {
  return socket[ADDRESS] ?? socket.remoteAddress ?? ''
}

/** Returns whether a connection uses TLS. */
export function isEncrypted(socket: TrackedSocket): boolean {
  return socket[SECURE] ?? 'encrypted' in socket
}

/** Returns the response to the latest request on a connection, or undefined if there has been no request. */
export function lastResponse(socket: TrackedSocket): ServerResponse | undefined {
  return socket[LAST]
}

/**
 * The connections of a server. A connection is closed if it has been idle for longer than `keepAlive` ms, or if its
 * client has read nothing for longer than `answer` ms. One shared timer replaces the timer that Node would start for
 * each response.
 */
export class Connections {
  readonly #http: HttpServer
  readonly #sockets = new Set<TrackedSocket>()
  readonly #watch: NodeJS.Timeout
  #closed: Promise<void> | undefined

  constructor(http: HttpServer, { keepAlive, answer }: Record<'keepAlive' | 'answer', number>) {
    this.#http = http
    const sockets = this.#sockets
    // All sockets share one listener, since most of them are idle.
    function forget(this: TrackedSocket): void {
      sockets.delete(this)
    }
    http.on('connection', (socket: TrackedSocket) => {
      sockets.add(socket)
      socket[ADDRESS] = socket.remoteAddress ?? ''
      socket[SECURE] = 'encrypted' in socket
      socket.on('close', forget)
    })
    this.#watch = setInterval(() => {
      const now = performance.now()
      for (const socket of this.#sockets) {
        if (now - idleSince(socket, now) > keepAlive) socket.destroySoon()
        else if (now - unreadSince(socket, now) > answer) socket.destroy()
      }
    }, CHECK_INTERVAL_MS).unref()
  }

  /** Stops accepting new connections. */
  async shut(): Promise<void> {
    await untilQuiet()
    // The HTTP server's own `close` would destroy idle connections immediately.
    this.#closed = new Promise((resolve) => NetServer.prototype.close.call(this.#http, () => resolve()))
  }

  /**
   * Closes all connections without losing a request. Call `shut` first. Busy connections close after their response,
   * which has `Connection: close`. Idle connections close after `linger` ms.
   */
  async drain({ grace, linger }: Required<DrainOptions>): Promise<void> {
    const started = performance.now()
    const sweep = (): void => {
      const waited = performance.now() - started
      if (waited >= grace) for (const socket of this.#sockets) socket.destroy()
      else if (waited >= linger) this.#endIdle()
    }
    const timer = setInterval(sweep, DRAIN_INTERVAL_MS)
    sweep()
    await this.#closed
    clearInterval(timer)
    clearInterval(this.#watch)
    this.#http.close() // stops Node's timer that checks request timeouts
  }

  #endIdle(): void {
    this.#http.closeIdleConnections()
    // Node does not consider a connection idle until its client has sent something.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

/**
 * Waits until an iteration of the event loop is almost empty, but for no more than about 100 ms. Closing the server
 * resets connections that are still in the accept queue, and each iteration begins by accepting all of them.
 */
async function untilQuiet(): Promise<void> {
  const started = performance.now()
  for (let before = started; ;) {
    await new Promise((resolve) => setImmediate(resolve))
    const now = performance.now()
    if (now - before < 0.05 || now - started > 100) return
    before = now
  }
}

/**
 * Returns the time at which a connection became idle, or `now` if it is not idle. A connection is not idle while a
 * request or response is unfinished, and new data restarts its idle time. Node itself closes connections on which no
 * request arrives.
 */
function idleSince(socket: TrackedSocket, now: number): number {
  const last = socket[LAST]
  if (last === undefined || !last.writableFinished || !last.req.complete) return now
  const { bytesRead } = socket
  if (socket[IDLE_SINCE]?.bytes !== bytesRead) socket[IDLE_SINCE] = { since: now, bytes: bytesRead }
  return socket[IDLE_SINCE].since
}

/**
 * Returns the time at which a client stopped reading its response, or `now` if it is reading or has nothing to read.
 * Without this check, a client that never reads would hold its response, handler and connection indefinitely.
 * WebSockets have a separate check.
 */
export function unreadSince(socket: TrackedSocket, now: number): number {
  const isOwed = socket[LAST] !== undefined && socket.writableLength > 0
  const bytes = isOwed ? flushedBytes(socket) : undefined
  // Most sockets never need this property, and adding it would make each of them larger.
  if (socket[UNREAD]?.bytes !== bytes) socket[UNREAD] = bytes === undefined ? undefined : { since: now, bytes }
  return socket[UNREAD]?.since ?? now
}

/** Returns the total number of bytes flushed to the operating system. It grows while the client reads. */
export function flushedBytes(socket: Socket): number {
  const { bytesWritten, writableLength } = socket
  if (!internals.countsBytes) return bytesWritten - writableLength
  // Node counts a large write only once all of it is flushed, although the client reads it gradually.
  const { _bytesDispatched: dispatched = 0, _handle: handle } = socket as SocketInternals
  return dispatched - (handle?.writeQueueSize ?? 0)
}
