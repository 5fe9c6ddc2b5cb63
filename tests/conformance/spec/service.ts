import type { IncomingMessage } from 'node:http'
import type { Socket as TcpSocket } from 'node:net'
import { createApp, createLog, serve, type App, type AppOptions, type Agent, type Server } from '@sdk/server'
import { send, request } from '../http/wire.ts'

/** A response with parsed JSON. */
export interface JsonResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** An app on its own port. */
export interface Service {
  readonly url: string
  /** `METHOD /path` of every request. */
  readonly requests: readonly string[]
  /** The subprotocols that each socket offered. */
  readonly offers: readonly string[]
  /** `call('POST /api/v1/tasks', { title: 'Tea' })`; a body is sent as JSON. */
  call(line: string, body?: unknown, headers?: Record<string, string>): Promise<JsonResponse>
  /** Cuts all connections, like a bad network. */
  cut(): void
  close(): Promise<void>
}

/** Serves an app, without its log. */
export async function startService(options: AppOptions<unknown, readonly Agent[]>, port = 0): Promise<Service> {
  const app: App = createApp({ log: createLog({ write: () => {} }), ...options })
  const server = await serve(app, { port, signals: false, survive: false })
  const { requests, offers, cut } = watch(server)
  return {
    url: server.url,
    requests,
    offers,
    cut,
    async call(line, body, headers = {}) {
      const json = body === undefined ? {} : { body: JSON.stringify(body) }
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const bytes = request(line, { ...json, headers: { Host: new URL(server.url).host, ...type, ...headers } })
      const response = await send(server.port, bytes)
      const isJson = response.headers['content-type'] === 'application/json'
      return { ...response, body: isJson ? (JSON.parse(response.body) as unknown) : response.body }
    },
    close: () => server.close({ grace: 0 }),
  }
}

function watch({ http }: Server): Pick<Service, 'requests' | 'offers' | 'cut'> {
  const requests: string[] = []
  const offers: string[] = []
  const connections = new Set<TcpSocket>()
  http.on('connection', (socket: TcpSocket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })
  http.on('request', ({ method, url }: IncomingMessage) => requests.push(`${method} ${url}`))
  http.on('upgrade', ({ headers }: IncomingMessage) => offers.push(headers['sec-websocket-protocol'] ?? ''))
  const cut = (): void => {
    for (const socket of connections) socket.destroy()
  }
  return { requests, offers, cut }
}
