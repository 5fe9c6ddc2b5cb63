import type { App } from '../app/app.ts'
import { httpError } from '../http/http-error.ts'
import { toResponse } from '../app/fetch-adapter.ts'
import type { ExecutionContext, ObjectNamespace } from './cloudflare.ts'

/** The part of an app that a Worker uses. */
export type WorkerApp = Pick<App, 'fetch' | 'toErrorReply' | 'log' | '~runs'>

/** An app, or a function that creates it from the bindings of the Worker. */
export type WorkerAppSource<Env> = WorkerApp | ((env: Env) => WorkerApp)

/** Options for `createWorker`. */
export interface WorkerOptions {
  /** The name of the Durable Object binding in the Wrangler configuration. @default 'SOCKETS' */
  binding?: string
  /**
   * Returns the name of the Durable Object that handles a request, or null to handle it in the Worker. Clients of one
   * object share rooms, presence, live data and `ctx.kv`. Clients of different objects share nothing.
   * @default the object 'main' for WebSockets, and null for all other requests
   * @example (request) => (isWebSocket(request) ? new URL(request.url).searchParams.get('team') : null)
   */
  objectFor?: (request: Request) => string | null
}

/** The default export of a Worker's main module. */
export interface Worker<Env> {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response>
}

/**
 * Creates a Worker for Cloudflare Workers. It handles HTTP requests, and passes WebSockets to Durable Objects.
 * @example export default createWorker(createApp({ router }))
 */
export function createWorker<Env = unknown>(source: WorkerAppSource<Env>, options: WorkerOptions = {}): Worker<Env> {
  const { binding = 'SOCKETS', objectFor = (request) => (isWebSocket(request) ? 'main' : null) } = options
  let created: WorkerApp | undefined
  return {
    async fetch(request, env, ctx) {
      const app = (created ??= createWorkerApp(source, env))
      const name = objectFor(request)
      if (name === null) return handleRequest(app, request, ctx)
      const namespace = (env as Partial<Record<string, ObjectNamespace>> | undefined)?.[binding]
      if (namespace !== undefined) return namespace.get(namespace.idFromName(name) as never).fetch(request)
      app.log.error(`the binding ${binding} is missing: add a Durable Object to the Wrangler configuration`)
      const error = httpError('NOT_IMPLEMENTED', 'WebSockets are not available')
      return toResponse(app.toErrorReply(error), request.method)
    },
  }
}

/** Returns whether a request opens a WebSocket. */
export function isWebSocket(request: Request): boolean {
  return request.headers.get('upgrade')?.toLowerCase() === 'websocket'
}

/** Creates the app of a Worker or of a Durable Object. */
export function createWorkerApp<Env, Source extends WorkerApp>(
  source: Source | ((env: Env) => Source),
  env: Env,
): Source {
  const app = typeof source === 'function' ? source(env) : source
  if (app['~runs']() !== null)
    throw new TypeError('durable agents are not available on Cloudflare Workers, where no process runs continuously')
  return app
}

/** Handles an HTTP request. */
export function handleRequest(app: WorkerApp, request: Request, ctx: ExecutionContext): Promise<Response> {
  const response = app.fetch(request, { ip: clientIp(request), waitUntil: (work) => ctx.waitUntil(work) })
  // Otherwise, the handler would stop without its `finally` blocks when the client disconnects.
  ctx.waitUntil(response)
  return response
}

/** Returns the client's address. Cloudflare sets this header, and removes it from the client's request. */
export function clientIp(request: Request): string {
  return request.headers.get('cf-connecting-ip') ?? '127.0.0.1'
}
