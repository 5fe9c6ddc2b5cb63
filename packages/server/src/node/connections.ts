import type { Server as HttpServer, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { internals, type SocketInternals } from './node-internals.ts'

/** How a server ends. */
export interface DrainOptions {
  /** How long what is in flight may take, in ms; what is left then is cut off. @default 30 000 */
  grace?: number
  /** How long idle connections stay open, in ms: a caller may be sending on one this moment. @default 0 */
  linger?: number
}

/** What a connection is doing, kept at the connection itself, which takes next to no time. */
const LAST: unique symbol = Symbol('last answer')
const IDLE_SINCE: unique symbol = Symbol('idle since')
const UNREAD: unique symbol = Symbol('unread since')
const PENDING: unique symbol = Symbol('waiting answers')
const REJECTED: unique symbol = Symbol('refused')
const ADDRESS: unique symbol = Symbol('address')
const SECURE: unique symbol = Symbol('secure')

/** A connection that notes what goes on. */
export type TrackedSocket = Socket & {
  [LAST]?: ServerResponse | undefined
  /** Since when nothing goes on, and how much had been read by then. */
  [IDLE_SINCE]?: { readonly since: number; readonly bytes: number } | undefined
  /** Since when nothing of what was sent is read, and how much had been by then. */
  [UNREAD]?: { readonly since: number; readonly bytes: number } | undefined
  /** The answers that wait for their turn. */
  [PENDING]?: Set<ServerResponse>
  [REJECTED]?: boolean
  [ADDRESS]?: string
  [SECURE]?: boolean
}

/** How often connections are looked through, in ms: while the server runs, and while it ends. */
export const CHECK_INTERVAL_MS = 1_000
const DRAIN_INTERVAL_MS = 20

/** Notes that a connection has a request, whose answer is owed. */
export function trackResponse(socket: TrackedSocket, response: ServerResponse): void {
  socket[LAST] = response
  socket[IDLE_SINCE] = undefined
}

/** Requests that may be sent without waiting for the answers before: clients send one, or a few. */
const MAX_PENDING_RESPONSES = 100

/**
 * Are there so many requests on a connection whose answers wait for their turn that it must end? A caller who sends
 * thousands at once and reads nothing would have us hold the beginning of each answer, and a file for each.
 */
export function hasTooManyPending(socket: TrackedSocket, response: ServerResponse): boolean {
  if (response.socket !== null) return false
  const waiting = (socket[PENDING] ??= trackPending(socket))
  waiting.add(response)
  response.once('socket', () => waiting.delete(response))
  return waiting.size > MAX_PENDING_RESPONSES
}

/** Node tells only the answer whose turn it is that its caller has left: whoever makes the others would go on for ever. */
function trackPending(socket: TrackedSocket): Set<ServerResponse> {
  const waiting = new Set<ServerResponse>()
  socket.once('close', () => {
    for (const response of waiting) response.destroy().emit('close')
  })
  return waiting
}

/** Notes that a connection speaks HTTP no more, so that it is never idle; what it had before is forgotten. */
export function trackUpgrade(socket: TrackedSocket): void {
  socket[LAST] = undefined
}

/** Is this the first thing on a connection to be refused? What comes behind it is not looked at. */
export function isFirstRejection(socket: TrackedSocket): boolean {
  if (socket[REJECTED] === true) return false
  socket[REJECTED] = true
  return true
}

/** Has the caller left, and does everybody know? An answer that waits for its turn does not hear it itself. */
export function isClientGone({ destroyed, socket, req }: ServerResponse): boolean {
  // A request whose body was given up has no connection any more, though its answer still may.
  return destroyed || (socket === null && (req.socket as Socket | null)?.destroyed === true)
}

/** Calls back once, when the caller leaves or the answer is out. Gives how to stop listening. */
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

/** The address at the other end; Node would ask the system again for each request. */
export function addressOf(socket: TrackedSocket): string {
  return socket[ADDRESS] ?? socket.remoteAddress ?? ''
}

/** Does a connection speak TLS? */
export function isEncrypted(socket: TrackedSocket): boolean {
  return socket[SECURE] ?? 'encrypted' in socket
}

/** The last answer that is owed on a connection; undefined where it has had no request. */
export function lastResponse(socket: TrackedSocket): ServerResponse | undefined {
  return socket[LAST]
}

/**
 * Watches over the connections of a server, and ends those that are idle for longer than `keepAlive`, in ms, or whose
 * callers take nothing for longer than `answer`. Node would start and stop a timer for each answer.
 */
export class Connections {
  readonly #http: HttpServer
  readonly #sockets = new Set<TrackedSocket>()
  readonly #watch: NodeJS.Timeout
  #closed: Promise<void> | undefined

  constructor(http: HttpServer, { keepAlive, answer }: Record<'keepAlive' | 'answer', number>) {
    this.#http = http
    http.on('connection', (socket: TrackedSocket) => {
      this.#sockets.add(socket)
      socket[ADDRESS] = socket.remoteAddress ?? ''
      socket[SECURE] = 'encrypted' in socket
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.#watch = setInterval(() => {
      const now = performance.now()
      for (const socket of this.#sockets) {
        if (now - idleSince(socket, now) > keepAlive) socket.destroySoon()
        else if (now - unreadSince(socket, now) > answer) socket.destroy()
      }
    }, CHECK_INTERVAL_MS).unref()
  }

  /** Accepts no new connections from now on. */
  async shut(): Promise<void> {
    await untilQuiet()
    // The close of `node:http` would cut idle connections at once.
    this.#closed = new Promise((resolve) => NetServer.prototype.close.call(this.#http, () => resolve()))
  }

  /**
   * Once it is shut, ends without losing a request: answers that say `Connection: close`, and idle connections ended
   * once nobody can be about to use them.
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
    this.#http.close() // ends the timer with which Node looks for late requests
  }

  #endIdle(): void {
    this.#http.closeIdleConnections()
    // One that never sent anything is not idle in Node's eyes.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

/**
 * Waits for a turn of the event loop in which next to nothing happened, though not for long. Connections that wait at
 * the door when it is closed are reset, and each turn begins with letting in all who wait.
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
 * Since when a connection is idle; now, if it is not. One in the middle of a request, of its first lines or of its
 * answer is not idle; Node sees to those that never send any.
 */
function idleSince(socket: TrackedSocket, now: number): number {
  const last = socket[LAST]
  if (last === undefined || !last.writableFinished || !last.req.complete) return now
  const { bytesRead } = socket
  if (socket[IDLE_SINCE]?.bytes !== bytesRead) socket[IDLE_SINCE] = { since: now, bytes: bytesRead }
  return socket[IDLE_SINCE].since
}

/**
 * Since when a caller reads nothing of its answer; now, if there is nothing to read, or it does. Else one that never
 * reads would hold its answer, its handler and its connection for as long as it likes. Sockets see to that themselves.
 */
export function unreadSince(socket: TrackedSocket, now: number): number {
  const isOwed = socket[LAST] !== undefined && socket.writableLength > 0
  const bytes = isOwed ? flushedBytes(socket) : undefined
  // Most owe nothing ever, and are spared the member: it would make each of them larger.
  if (socket[UNREAD]?.bytes !== bytes) socket[UNREAD] = bytes === undefined ? undefined : { since: now, bytes }
  return socket[UNREAD]?.since ?? now
}

/** Bytes that the system has taken from a connection, ever: it grows while the other end reads. */
export function flushedBytes(socket: Socket): number {
  const { bytesWritten, writableLength } = socket
  if (!internals.countsBytes) return bytesWritten - writableLength
  // A large write is one step for Node, though the client reads it bit by bit.
  const { _bytesDispatched: dispatched = 0, _handle: handle } = socket as SocketInternals
  return dispatched - (handle?.writeQueueSize ?? 0)
}
