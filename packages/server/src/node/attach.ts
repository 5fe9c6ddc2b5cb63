import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { closeApp } from '../adapter/close-app.ts'
import type { Servable } from '../app/app.ts'
import { findMalformation, rejectRequest } from './malformed-request.ts'
import { hasTooManyPending, trackResponse, unreadSince, CHECK_INTERVAL_MS } from './connections.ts'
import { RESPONSE_TIMEOUT_MS, createNodeHandler, showMetrics } from './serve.ts'
import { probeInternals } from './node-internals.ts'
import { toRequestTarget } from './node-request.ts'
import { ignoreUpgrade, wantsWebSocket } from './ignore-upgrade.ts'
import { createSocketServer } from './socket-server.ts'

/** Options for `attach`. */
export interface AttachOptions {
  /**
   * The path prefixes that the app handles. The server handles requests and upgrades for all other paths.
   * @default ['/agent', '/api', '/ws', '/healthz', '/readyz'], and '/metrics' if enabled
   */
  paths?: readonly string[]
  /**
   * How long a client may stop reading a response from the app, in ms. After that, its connection is closed, as in
   * `serve`. All other timeouts are those of the server. @default 300_000
   */
  timeouts?: { answer?: number }
}

/** An app attached to a server. */
export interface Attached {
  /**
   * Waits at most `grace` ms for pending requests, closes the sockets and the app, and lets the server handle the app's
   * paths again. Stop listening first: clients are asked to reconnect and must reach another process.
   */
  close(options?: { grace?: number }): Promise<void>
}

/**
 * Attaches an app and its sockets to an existing `node:http` server, such as one from Express, Fastify, Hono or Next.
 * @example const attached = await attach(app, server, { paths: ['/agent', '/api/v1', '/ws'] })
 */
export async function attach(app: Servable, http: HttpServer, options: AttachOptions = {}): Promise<Attached> {
  const { paths } = options
  const owns = paths === undefined ? app.owns : (target: string): boolean => isBelow(target, paths)
  await app.ready()
  void probeInternals()
  const sockets = createSocketServer(app)
  const flights = createPendingResponses(options.timeouts?.answer ?? RESPONSE_TIMEOUT_MS)
  const answer = createNodeHandler(app)
  const shown = app.metrics === null ? null : showMetrics(app.metrics, sockets.count)
  const letGo = interpose(http, {
    request(incoming: IncomingMessage, response: ServerResponse) {
      if (!owns(toRequestTarget(incoming.url ?? '/'))) return false
      flights.add(response)
      const fault = findMalformation(incoming)
      if (hasTooManyPending(incoming.socket, response)) incoming.socket.destroy()
      else if (fault === null) answer(incoming, response)
      else rejectRequest(response, fault, app.toErrorReply)
      return true
    },
    upgrade(incoming: IncomingMessage, stream: Duplex, head: Buffer) {
      const url = toRequestTarget(incoming.url ?? '/')
      const isKnown = wantsWebSocket(incoming)
      if (!owns(url) || (isKnown && !url.startsWith('/ws/'))) return false
      if (isKnown) sockets.upgrade({ incoming, stream, head })
      else ignoreUpgrade(http, { incoming, stream, head })
      return true
    },
  })
  let closing: Promise<void> | undefined
  return { close: ({ grace = 30_000 } = {}) => (closing ??= end(grace)) }

  async function end(grace: number): Promise<void> {
    const started = performance.now()
    app.drain()
    await Promise.all([flights.settled(grace), sockets.drain(grace)])
    flights.close()
    letGo()
    await closeApp(app, started + grace - performance.now())
    ;(await shown)?.close()
  }
}

function isBelow(target: string, paths: readonly string[]): boolean {
  return paths.some((path) => target.startsWith(path) && /^(?:$|[/?])/.test(target.slice(path.length)))
}

type EventTaker = (...rest: never[]) => boolean

/**
 * Intercepts events before any listener, including listeners added later (Next adds one on its first request). If the
 * function for an event returns false, the event is passed on to the listeners. Returns a function that stops
 * intercepting.
 */
function interpose(http: HttpServer, takers: Record<'request' | 'upgrade', EventTaker>): () => void {
  const emit = http.emit.bind(http) as (event: string | symbol, ...rest: unknown[]) => boolean
  let isHere = true
  http.emit = (event: string | symbol, ...rest: unknown[]): boolean => {
    const take = event === 'request' || event === 'upgrade' ? takers[event] : null
    return (isHere && take?.(...(rest as never[]))) || emit(event, ...rest)
  }
  // Node emits `upgrade` only if the event has a listener.
  const plainly = (incoming: IncomingMessage, stream: Duplex, head: Buffer): void => {
    if (http.listenerCount('upgrade') === 1) ignoreUpgrade(http, { incoming, stream, head })
  }
  http.on('upgrade', plainly)
  return () => {
    isHere = false
    http.off('upgrade', plainly)
  }
}

/**
 * Tracks pending responses, and destroys connections whose clients have read nothing for `timeoutMs`. `settled` waits
 * until all responses have ended, and destroys the remaining ones after `grace` ms.
 */
function createPendingResponses(timeoutMs: number): {
  add(response: ServerResponse): void
  settled(grace: number): Promise<void>
  close(): void
} {
  const flying = new Set<ServerResponse>()
  let empty: (() => void) | undefined
  const watch = setInterval(() => {
    const now = performance.now()
    for (const { socket } of flying) if (socket !== null && now - unreadSince(socket, now) > timeoutMs) socket.destroy()
  }, CHECK_INTERVAL_MS)
  watch.unref()
  return {
    add(response) {
      trackResponse(response.req.socket, response)
      // Close the connection after the response: while the app is closing, a keep-alive connection would outlive the
      // server.
      if (empty !== undefined) response.shouldKeepAlive = false
      flying.add(response)
      response.once('close', () => {
        flying.delete(response)
        if (flying.size === 0) empty?.()
      })
    },
    async settled(grace) {
      const landed = new Promise<void>((resolve) => (empty = resolve))
      if (flying.size === 0) return
      for (const response of flying) response.shouldKeepAlive = false
      const timer = setTimeout(() => flying.forEach((response) => response.destroy()), grace)
      await landed
      clearTimeout(timer)
    },
    close: () => clearInterval(watch),
  }
}
