import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Servable } from '../app.ts'
import { faultOf, refuseRequest } from './client-error.ts'
import { createNodeHandler, endApp, showMetrics } from './serve.ts'
import { answerPlainly, createSockets } from './socket-server.ts'

/** What `attach` takes. */
export interface AttachOptions {
  /**
   * Where the app's paths begin; requests and upgrades of all others stay with the server.
   * @default ['/agent', '/api', '/ws', '/healthz', '/readyz'], and '/metrics' where they are on
   */
  paths?: readonly string[]
}

/** An app that is attached to a server. */
export interface Attached {
  /**
   * Lets what is in flight finish, for at most `grace` ms, closes the sockets and the app, and gives its paths back to the
   * server. Stop listening before: clients are asked to come back elsewhere.
   */
  close(options?: { grace?: number }): Promise<void>
}

/**
 * Puts an app, with its sockets, in front of a server of `node:http` that is not ours: Express, Fastify, Hono, Next. Do it
 * when whatever else listens to the server's requests and upgrades does so already.
 * @example const attached = await attach(app, server, { paths: ['/agent', '/api/v1', '/ws'] })
 */
export async function attach(app: Servable, http: HttpServer, options: AttachOptions = {}): Promise<Attached> {
  const { paths } = options
  const owns = paths === undefined ? app.owns : (target: string): boolean => isBelow(target, paths)
  await app.ready()
  const sockets = createSockets(app)
  const flights = createFlights()
  const answer = createNodeHandler(app)
  const shown = app.metrics === null ? null : showMetrics(app.metrics, sockets.count)
  const letGo = [
    stepInFront(http, 'request', {
      owns,
      ours(incoming, response: ServerResponse) {
        flights.add(response)
        const fault = faultOf(incoming)
        if (fault === null) answer(incoming, response)
        else refuseRequest(response, fault)
      },
    }),
    stepInFront(http, 'upgrade', {
      owns: (target) => target.startsWith('/ws/') && owns(target),
      ours: sockets.upgrade,
      nobody: (incoming, stream: Duplex) => answerPlainly(http, incoming, stream),
    }),
  ]
  let closing: Promise<void> | undefined
  return { close: ({ grace = 30_000 } = {}) => (closing ??= end(grace)) }

  async function end(grace: number): Promise<void> {
    const started = performance.now()
    app.drain()
    await Promise.all([flights.landed(grace), sockets.drain(grace)])
    for (const go of letGo) go()
    await endApp(app, started + grace - performance.now())
    ;(await shown)?.close()
  }
}

function isBelow(target: string, paths: readonly string[]): boolean {
  return paths.some((path) => target.startsWith(path) && /^(?:$|[/?])/.test(target.slice(path.length)))
}

interface Place<Rest extends readonly unknown[]> {
  owns(target: string): boolean
  ours(incoming: IncomingMessage, ...rest: Rest): void
  /** Answers where the server has no listener of its own. */
  nobody?(incoming: IncomingMessage, ...rest: Rest): void
}

/** Hears of an event before the listeners that there are, who hear only of what is not ours; gives the way back. */
function stepInFront<Rest extends readonly unknown[]>(http: HttpServer, event: string, place: Place<Rest>): () => void {
  const theirs = http.rawListeners(event) as ((this: HttpServer, incoming: IncomingMessage, ...rest: Rest) => void)[]
  const first = (incoming: IncomingMessage, ...rest: Rest): void => {
    if (place.owns(incoming.url ?? '/')) place.ours(incoming, ...rest)
    else if (theirs.length > 0) for (const listener of theirs) listener.call(http, incoming, ...rest)
    else if (http.listenerCount(event) === 1) place.nobody?.(incoming, ...rest)
  }
  http.removeAllListeners(event).on(event, first as never)
  return () => {
    http.off(event, first as never)
    for (const listener of theirs) http.on(event, listener as never)
  }
}

/** The answers that are under way. */
interface Flights {
  add(response: ServerResponse): void
  /** Settles when there are none; what is left after `grace` ms is cut off. */
  landed(grace: number): Promise<void>
}

function createFlights(): Flights {
  const flying = new Set<ServerResponse>()
  let empty: (() => void) | undefined
  return {
    add(response) {
      // The connection would otherwise outlive the server.
      if (empty !== undefined) response.shouldKeepAlive = false
      flying.add(response)
      response.once('close', () => {
        flying.delete(response)
        if (flying.size === 0) empty?.()
      })
    },
    async landed(grace) {
      const landed = new Promise<void>((resolve) => (empty = resolve))
      if (flying.size === 0) return
      for (const response of flying) response.shouldKeepAlive = false
      const timer = setTimeout(() => flying.forEach((response) => response.destroy()), grace)
      await landed
      clearTimeout(timer)
    },
  }
}
