import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from '@sdk/protocol'
import { andThen } from '../platform/and-then.ts'
import { closeApp } from '../adapter/close-app.ts'
import type { App, Servable } from '../app/app.ts'
import { httpError } from '../http/http-error.ts'
import { errorFields } from '../log/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { rejectMalformedRequest, findMalformation, rejectRequest, writeErrorResponse } from './malformed-request.ts'
import { holdContinue, isContinueHeld, sendContinue } from './expect-continue.ts'
import { createHeadWriter, nodeHeadWriter, type HeadWriter } from './response-head.ts'
import { probeInternals } from './node-internals.ts'
import { NodeRequest, toRequestTarget } from './node-request.ts'
import { sendReply } from './send-reply.ts'
import { hasTooManyPending, trackResponse, Connections, type DrainOptions } from './connections.ts'
import { endOnSignal } from './signals.ts'
import { surviveUncaught } from './uncaught.ts'
import { attachSockets } from './socket-server.ts'

/** Options for `serve`. */
export interface ServeOptions {
  /** The port. 0 selects a free port. @default 3000 */
  port?: number
  /** The address to listen on. @default '127.0.0.1' */
  host?: string
  /**
   * Handles requests outside `/agent`, `/api` and `/ws`, such as those for static files or a dev server.
   * @default a 404 response
   */
  fallback?: (request: IncomingMessage, response: ServerResponse) => void
  /**
   * Timeouts in ms. `headers` and `request` limit the time to receive the headers and the entire request. `keepAlive`
   * limits the idle time between two requests on a connection. `answer` limits how long a client may stop reading
   * a response; the operating system reports progress in steps of about 1.5 MB. `Infinity` disables a timeout.
   * @default 10_000, 30_000, 65_000 (longer than the idle timeout of a load balancer, which must close the connection
   * first) and 300_000
   */
  timeouts?: { headers?: number; request?: number; keepAlive?: number; answer?: number }
  /** Whether to log uncaught errors and keep running. Otherwise, Node exits. @default true */
  survive?: boolean
  /**
   * Whether to close the server and exit on `SIGTERM` and Ctrl-C, after pending requests have finished. @default true
   */
  signals?: boolean
}

/** A running server. */
export interface Server {
  /** The port that the server listens on. */
  readonly port: number
  /** The server's URL, such as `http://127.0.0.1:3000`. */
  readonly url: string
  /** The underlying `node:http` server. */
  readonly http: HttpServer
  /** Stops accepting connections, waits for pending requests, and closes the app. */
  close(options?: DrainOptions): Promise<void>
}

const KEEP_ALIVE_TIMEOUT_MS = 65_000

/**
 * The default limit on how long a client may stop reading a response. It is long enough for a slow phone behind a proxy
 * that does not buffer: the operating system reports progress only after a third of its 4 MB buffer has been sent. At
 * 8 kB per second, that takes about three minutes.
 */
export const RESPONSE_TIMEOUT_MS = 300_000

/** Serves an app with `node:http`. */
export async function listen(app: Servable, options: ServeOptions = {}): Promise<Server> {
  const { port = 3000, host = '127.0.0.1', signals = true, survive = true } = options
  const http = createHttp(app, options)
  const close = createClose(http, app, options.timeouts)
  await app.ready()
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, resolve)
  })
  void probeInternals() // not awaited: until it finishes, Node writes the response heads
  const address = http.address()
  const taken = typeof address === 'object' && address !== null ? address.port : port
  const forgetSignals = signals ? endOnSignal({ log: app.log, close }) : () => {}
  const forgetUncaught = survive ? surviveUncaught(app) : () => {}
  return {
    port: taken,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    http,
    async close(how) {
      await close(how)
      forgetSignals()
      forgetUncaught()
    },
  }
}

/** Creates a server's `close` function. Repeated calls return the same promise. */
function createClose(
  http: HttpServer,
  app: Servable,
  { keepAlive = KEEP_ALIVE_TIMEOUT_MS, answer = RESPONSE_TIMEOUT_MS }: ServeOptions['timeouts'] = {},
): (options?: DrainOptions) => Promise<void> {
  const connections = new Connections(http, { keepAlive, answer })
  const sockets = attachSockets(http, app)
  let closing: Promise<void> | undefined
  const shown = app.metrics === null ? null : showMetrics(app.metrics, sockets.count)
  return ({ grace = 30_000, linger = 0 } = {}) => (closing ??= end(grace, linger))

  async function end(grace: number, linger: number): Promise<void> {
    const started = performance.now()
    app.drain()
    // Must come first: otherwise, clients that are asked to reconnect would reconnect to this process.
    await connections.shut()
    await Promise.all([connections.drain({ grace, linger }), sockets.drain(grace)])
    await closeApp(app, started + grace - performance.now())
    ;(await shown)?.close()
  }
}

/** Registers the process metrics and the number of open sockets. Returns a handle that stops the measurements. */
export async function showMetrics(metrics: Metrics, countSockets: () => number): Promise<{ close(): void }> {
  metrics.show({ name: 'websocket_connections', help: 'Open WebSocket connections.', read: countSockets })
  const { showProcess } = await import('./process-metrics.ts')
  return showProcess(metrics)
}

function createHttp(app: Servable, { fallback, timeouts = {} }: ServeOptions): HttpServer {
  const { headers = 10_000, request = 30_000, keepAlive = KEEP_ALIVE_TIMEOUT_MS } = timeouts
  const limits = {
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: 0, // `Connections` closes idle connections
    // How often Node checks request timeouts.
    connectionsCheckingInterval: Math.min(2_000, headers),
    // Checked in `findMalformation`, so that the response uses our error format.
    requireHostHeader: false,
  }
  const answer = createListener(app, createHeadWriter(Math.floor(keepAlive / 1000)))
  const http = createServer(limits, onRequest)
  http.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) => {
    holdContinue(incoming, response)
    onRequest(incoming, response)
  })
  http.on('clientError', (error, stream) => rejectMalformedRequest(error, stream as Socket, app.toErrorReply))
  http.on('checkExpectation', (_, response: ServerResponse) => {
    const message = 'unsupported Expect header: only 100-continue is supported'
    rejectRequest(response, new ApiError('EXPECTATION_FAILED', message, { status: 417 }), app.toErrorReply)
  })
  http.on('connect', (_, stream: Duplex) =>
    writeErrorResponse(stream, httpError('NOT_IMPLEMENTED', 'proxy requests are not supported'), app.toErrorReply),
  )
  return http

  function onRequest(incoming: IncomingMessage, response: ServerResponse): void {
    // A closing server closes each connection after its response; Node closes only idle ones.
    if (!http.listening) response.shouldKeepAlive = false
    trackResponse(incoming.socket, response)
    if (hasTooManyPending(incoming.socket, response)) return void incoming.socket.destroy()
    const fault = findMalformation(incoming)
    if (fault !== null) return rejectRequest(response, fault, app.toErrorReply)
    incoming.url = toRequestTarget(incoming.url ?? '/')
    // `OPTIONS *` applies to the server itself, so it is not passed to the fallback.
    if (fallback === undefined || incoming.url === '*' || app.owns(incoming.url)) return answer(incoming, response)
    sendContinue(incoming)
    fallback(incoming, response)
  }
}

/** The part of an app that handles requests. */
type HandledApp = Pick<App, 'handle' | 'toErrorReply' | 'log'>

type NodeListener = (incoming: IncomingMessage, response: ServerResponse) => void

/** Creates a `node:http` request listener for an app, to mount it in an existing server. */
export function createNodeHandler(app: HandledApp): NodeListener {
  return createListener(app, nodeHeadWriter)
}

function createListener(app: HandledApp, writeHead: HeadWriter): NodeListener {
  const answer = (incoming: IncomingMessage, response: ServerResponse): void => {
    const fail = (error: unknown): void => {
      app.log.error('response could not be sent', errorFields(error))
      const failure = new ApiError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side', { cause: error })
      if (response.headersSent) response.destroy()
      else rejectRequest(response, failure, app.toErrorReply)
    }
    try {
      const sent = andThen(app.handle(new NodeRequest(incoming, response)), (reply) => {
        // A request that timed out already has a response.
        if (response.headersSent) return reply.ended?.(0, false)
        if (isContinueHeld(incoming)) response.shouldKeepAlive = false
        return sendReply(reply, response, writeHead)
      })
      if (sent instanceof Promise) sent.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
  // A small body arrives with its headers and is readable one tick later, without a listener or a promise.
  return (incoming, response) => process.nextTick(answer, incoming, response)
}
