import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import { andThen } from '../and-then.ts'
import type { App } from '../app.ts'
import { errorFields } from '../log.ts'
import { NodeCall } from './node-call.ts'
import { sendReply } from './send-reply.ts'
import { attachSockets } from './socket-server.ts'

/** The paths an app owns; everything else may be a page. */
const OWN_PATH = /^\/(?:agent|api|ws)(?:\/|\?|$)/

/** What `serve` takes. */
export interface ServeOptions {
  /** The port; 0 takes a free one. @default 3000 */
  port?: number
  /** The address to listen on. @default '127.0.0.1' */
  host?: string
  /** Answers what lies outside `/agent`, `/api` and `/ws`: a web app's files, a dev server. @default 404 */
  fallback?: (request: IncomingMessage, response: ServerResponse) => void
}

/** A running server. */
export interface Server {
  readonly port: number
  readonly url: string
  /** The server of `node:http` below. */
  readonly http: HttpServer
  /** Stops accepting, lets what is in flight finish, and closes the app. */
  close(): Promise<void>
}

/** The part of an app that a server needs; a dev server puts a changing app behind it. */
export type Servable = Pick<App, 'handle' | 'admit' | 'rooms' | 'log' | 'close'>

/** Serves an app on plain Node. */
export async function listen(app: Servable, options: ServeOptions = {}): Promise<Server> {
  const { port = 3000, host = '127.0.0.1', fallback } = options
  const http = createServer((incoming, response) => {
    if (fallback !== undefined && !OWN_PATH.test(incoming.url ?? '/')) return fallback(incoming, response)
    respond(app, incoming, response)
  })
  const sockets = attachSockets(http, app)
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, resolve)
  })
  const address = http.address()
  const taken = typeof address === 'object' && address !== null ? address.port : port
  return {
    port: taken,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    http,
    async close() {
      const closed = new Promise((resolve) => http.close(resolve))
      await sockets.close()
      http.closeIdleConnections()
      await closed
      await app.close()
    },
  }
}

function respond(app: Servable, incoming: IncomingMessage, response: ServerResponse): void {
  const fail = (error: unknown): void => {
    app.log.error('an answer could not be sent', errorFields(error))
    response.destroy()
  }
  try {
    const sent = andThen(app.handle(new NodeCall(incoming, response)), (reply) =>
      sendReply(reply, response, incoming.method ?? 'GET'),
    )
    if (sent instanceof Promise) sent.catch(fail)
  } catch (error) {
    fail(error)
  }
}
