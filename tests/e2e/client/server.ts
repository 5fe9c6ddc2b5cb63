import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Context, createApp, createResource, createRouter, type Log, memoryStore, serve } from '@sdk/server'
import { z } from 'zod'

/** A request as its handler saw it. */
export interface Visit {
  readonly query: Readonly<Record<string, string>>
  readonly input: unknown
  /** The time of arrival, in ms. */
  readonly at: number
  /** Whether `ctx.signal` was aborted. */
  isGone: boolean
}

/** A server whose responses the test defines, with pages at every path outside of `/api`. */
export interface Place {
  readonly url: string
  /** The same pages on another origin. */
  readonly elsewhere: string
  /** HTML by path. */
  readonly pages: Map<string, string>
  /** `METHOD /path?query` of every request of a page's hooks, in order. */
  readonly requests: string[]
  /** Sets the handler of `METHOD /api/at/:name`, by `METHOD name`. Returns the received requests. */
  handle(route: string, handler: (visit: Visit) => unknown): readonly Visit[]
  close(): Promise<void>
}

/** Starts the server. */
export async function startPlace(): Promise<Place> {
  const pages: Place['pages'] = new Map()
  const show = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(pages.get(url) ?? '')
  }
  const other = createServer(show)
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`

  const handlers = new Map<string, (ctx: Context<{ name: string }>, input: unknown) => unknown>()
  const schema = z.object({ n: z.int() })
  const numbers = createResource('numbers', { schema, store: memoryStore(), access: 'public', sort: ['n'] })
  const router = createRouter()
    .on('GET|POST /api/at/:name', (ctx, input) =>
      handlers.get(`${ctx.request.method} ${ctx.params.name}`)?.(ctx, input),
    )
    .resource('v1', numbers)
  const app = createApp({ log: silent, router, rateLimit: false, cors: [elsewhere] })
  const server = await serve(app, { port: 0, signals: false, survive: false, fallback: show })
  const requests: string[] = []
  server.http.on('request', ({ method, url = '' }: IncomingMessage) => {
    if (url.startsWith('/api')) requests.push(`${method} ${url}`)
  })
  for (const n of [1, 2, 3, 4, 5]) await add(n)

  return {
    url: server.url,
    elsewhere,
    pages,
    requests,
    handle(route, handler) {
      const visits: Visit[] = []
      handlers.set(route, (ctx, input) => {
        const visit: Visit = { query: ctx.query, input, at: performance.now(), isGone: false }
        ctx.signal.addEventListener('abort', () => (visit.isGone = true))
        visits.push(visit)
        return handler(visit)
      })
      return visits
    },
    async close() {
      await new Promise((resolve) => other.close(resolve))
      await server.close({ grace: 100 })
    },
  }

  async function add(n: number): Promise<void> {
    const body = JSON.stringify({ n })
    const headers = { 'content-type': 'application/json' }
    const { status } = await app.fetch(new Request(`${server.url}/api/v1/numbers`, { method: 'POST', headers, body }))
    if (status !== 201) throw new Error(`the number ${n} was rejected with ${status}`)
  }
}

const quiet = (): void => {}
const silent: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }

/** An event that the test triggers. */
export interface Gate {
  open(): void
  readonly opened: Promise<void>
}

/** Creates a closed gate. */
export function createGate(): Gate {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}
