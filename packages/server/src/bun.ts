import { closeApp } from './adapter/close-app.ts'
import { PlatformTransport } from './adapter/platform-transport.ts'
import { createSocketClients, type AdmittedClient, type ConnectedClient } from './adapter/socket-clients.ts'
import type { Servable } from './app/app.ts'
import { fromWebRequest, respondOnServer, toResponse } from './app/fetch-adapter.ts'
import { httpError } from './http/http-error.ts'
import { errorFields } from './log/log.ts'
import type { DrainOptions } from './node/connections.ts'
import { endOnSignal } from './node/signals.ts'
import { surviveUncaught } from './node/uncaught.ts'
import { settlesWithin } from './platform/settles-within.ts'
import { createTimeLimit } from './platform/time-limit.ts'
import { toRefusal, type ConnectionEnd } from './socket/connection-end.ts'
import type { SocketLimits } from './socket/limits.ts'

/** Options for `serve` on Bun. */
export interface BunServeOptions {
  /** The port. 0 selects a free port. @default 3000 */
  port?: number
  /** The address to listen on. @default '127.0.0.1' */
  host?: string
  /** Handles requests outside `/agent`, `/api` and `/ws`, such as those for static files. @default a 404 response */
  fallback?: (request: Request) => Response | Promise<Response>
  /**
   * Timeouts in ms. `request` limits the time to receive a body, and `keepAlive` limits the idle time of a connection,
   * at most 255 seconds. `Infinity` disables a timeout. @default 30_000 and 65_000
   */
  timeouts?: { request?: number; keepAlive?: number }
  /** Whether to log uncaught errors and keep running. Otherwise, Bun exits. @default true */
  survive?: boolean
  /** Whether to close the server and exit on `SIGTERM` and Ctrl-C, after pending requests have finished. @default true */
  signals?: boolean
}

/** A running server on Bun. */
export interface BunServer {
  /** The port that the server listens on. */
  readonly port: number
  /** The server's URL, such as `http://127.0.0.1:3000`. */
  readonly url: string
  /** Stops accepting connections, waits for pending requests, and closes the app. */
  close(options?: DrainOptions): Promise<void>
}

/** The members of `Bun.serve`'s server that are used here. */
interface Listener {
  readonly port: number
  requestIP(request: Request): { readonly address: string } | null
  timeout(request: Request, seconds: number): void
  upgrade(request: Request, options: { data: SocketState; headers?: Record<string, string> }): boolean
  stop(closeActiveConnections?: boolean): Promise<void>
}

/** The members of Bun's `ServerWebSocket` that are used here. */
interface BunSocket {
  readonly data: SocketState
  send(text: string): number
  close(code: number, reason: string): void
  terminate(): void
  ping(): number
  getBufferedAmount(): number
}

/** The state of a socket: an admitted client, or the way in which a rejected client is disconnected. */
interface SocketState {
  readonly admitted?: AdmittedClient
  readonly refusal?: ConnectionEnd
  transport?: PlatformTransport
  client?: ConnectedClient
}

declare const Bun: { serve(options: object): Listener }

/** How long Bun may take to close the remaining connections, in ms. */
const STOP_TIMEOUT_MS = 1_000

/**
 * Serves an app and its sockets on Bun. Shuts down on `SIGTERM`, Ctrl-C or `close()`, after all running requests have
 * finished.
 * @example const server = await serve(app, { port: 3000 }); await server.close()
 */
export async function serve(app: Servable, options: BunServeOptions = {}): Promise<BunServer> {
  const { host = '127.0.0.1', signals = true, survive = true } = options
  await app.ready()
  const clients = createSocketClients(app)
  app.metrics?.show({ name: 'websocket_connections', help: 'Open WebSocket connections.', read: clients.count })
  const pending = new Set<Promise<unknown>>()
  const listener = listen(app, options, { clients, pending })
  let closing: Promise<void> | undefined
  const close = ({ grace = 30_000, linger = 0 }: DrainOptions = {}): Promise<void> => (closing ??= end(grace, linger))
  const forgetSignals = signals ? endOnSignal({ log: app.log, close }) : () => {}
  const forgetUncaught = survive ? surviveUncaught(app) : () => {}
  const name = host.includes(':') ? `[${host}]` : host
  return {
    port: listener.port,
    url: `http://${name}:${listener.port}`,
    async close(how) {
      await close(how)
      forgetSignals()
      forgetUncaught()
    },
  }

  async function end(grace: number, linger: number): Promise<void> {
    const started = performance.now()
    const left = (): number => Math.max(0, started + grace - performance.now())
    app.drain()
    // Clients that are asked to reconnect must not reconnect to this process.
    const stopped = listener.stop()
    const lingered = new Promise((resolve) => setTimeout(resolve, Math.min(linger, grace)))
    await Promise.all([clients.drain(grace), lingered.then(() => settlesWithin(Promise.allSettled(pending), left()))])
    await settlesWithin(stopped, Math.min(STOP_TIMEOUT_MS, left()))
    await settlesWithin(listener.stop(true), STOP_TIMEOUT_MS)
    await closeApp(app, left())
  }
}

interface State {
  readonly clients: ReturnType<typeof createSocketClients>
  /** The pending responses, including streams. */
  readonly pending: Set<Promise<unknown>>
}

function listen(app: Servable, options: BunServeOptions, { clients, pending }: State): Listener {
  const { port = 3000, host: hostname = '127.0.0.1', fallback, timeouts = {} } = options
  const { request: bodyTimeout = 30_000, keepAlive = 65_000 } = timeouts
  const limitTime = createTimeLimit(bodyTimeout, () =>
    httpError('REQUEST_TIMEOUT', 'the request did not arrive in time'),
  )
  return Bun.serve({
    port,
    hostname,
    idleTimeout: Number.isFinite(keepAlive) ? Math.min(255, Math.ceil(keepAlive / 1000)) : 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER, // the app has a limit for each route
    websocket: createSocketHandlers(app, clients),
    fetch(request: Request, server: Listener): Promise<Response | undefined> | Response {
      // A handler and a stream may be silent for longer than an idle connection.
      server.timeout(request, 0)
      const ip = server.requestIP(request)?.address
      const target = targetOf(request)
      if (target.startsWith('/ws/') && isUpgrade(request)) return upgrade(request, server)
      if (fallback !== undefined && !app.owns(target)) return fallback(request)
      return respondOnServer(request, app, { ip, limitTime, pending })
    },
    error(error: unknown): Response {
      app.log.error('response could not be sent', errorFields(error))
      return toResponse(app.toErrorReply(httpError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side')), 'GET')
    },
  })

  async function upgrade(request: Request, server: Listener): Promise<Response | undefined> {
    const ip = server.requestIP(request)?.address
    const answer = await clients.admit(fromWebRequest(request, { ip }))
    if ('error' in answer && !answer.isSdk) return toResponse(app.toErrorReply(answer.error), request.method)
    const data = 'error' in answer ? { refusal: toRefusal(answer.error) } : { admitted: answer }
    const headers = answer.isSdk ? { 'sec-websocket-protocol': 'sdk.v1' } : {}
    if (server.upgrade(request, { data, headers })) return undefined
    if ('leave' in answer) answer.leave()
    const error = httpError('INVALID_REQUEST', 'invalid WebSocket handshake', {
      headers: { 'sec-websocket-version': '13' },
    })
    return toResponse(app.toErrorReply(error), request.method)
  }
}

function targetOf({ url }: Request): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + 3))
}

function isUpgrade({ headers }: Request): boolean {
  return headers.get('upgrade')?.toLowerCase() === 'websocket'
}

function createSocketHandlers(app: Servable, clients: State['clients']): object {
  const limits = (): Required<SocketLimits> => app.sockets.limits
  const { payload, buffer } = limits()
  return {
    maxPayloadLength: 2 * payload, // the transport closes with our own code above `payload`, Bun with 1009 above this
    backpressureLimit: 4 * Math.max(buffer, payload), // Bun drops messages above it; the hub stops sending before
    closeOnBackpressureLimit: false,
    idleTimeout: 0, // the hub sends pings and closes silent connections
    perMessageDeflate: false,
    open(socket: BunSocket): void {
      const { admitted, refusal } = socket.data
      if (refusal !== undefined) socket.close(refusal.code, refusal.reason)
      if (admitted === undefined) return
      const transport = new PlatformTransport(toPlatformSocket(socket), { ...limits(), isSdk: admitted.isSdk })
      const client = clients.add(admitted, transport)
      transport.connect(client)
      Object.assign(socket.data, { transport, client })
    },
    message(socket: BunSocket, data: unknown): void {
      socket.data.transport?.onMessage(data)
    },
    drain(socket: BunSocket): void {
      if (socket.getBufferedAmount() === 0) socket.data.client?.connection.onDrain()
    },
    ping: markAlive,
    pong: markAlive,
    close(socket: BunSocket, code: number, reason: string): void {
      if (socket.data.client !== undefined) clients.remove(socket.data.client, code, reason)
    },
  }
}

function markAlive({ data }: BunSocket): void {
  data.client?.connection.markAlive()
}

function toPlatformSocket(socket: BunSocket): ConstructorParameters<typeof PlatformTransport>[0] {
  return {
    send: (text) => socket.send(text),
    close: (code, reason) => socket.close(code, reason),
    buffered: () => socket.getBufferedAmount(),
    ping: () => socket.ping(),
    terminate: () => socket.terminate(),
  }
}
