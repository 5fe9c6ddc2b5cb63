import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { serve, type BunServer } from '@sdk/server/bun'
import type { serve as serveOnNode } from '@sdk/server'

type NodeFallback = (request: IncomingMessage, response: ServerResponse) => void

/** Serves a built project on Bun. */
export function serveOnBun(
  ...[app, { fallback, ...options } = {}]: Parameters<typeof serveOnNode>
): Promise<BunServer> {
  return serve(app, { ...options, ...(fallback !== undefined && { fallback: toWebFallback(fallback) }) })
}

/** Converts a `node:http` listener that reads no body, such as the one for static files, to a web handler. */
function toWebFallback(listener: NodeFallback): (request: Request) => Promise<Response> {
  return ({ url, method, headers }) =>
    new Promise((resolve) => {
      const { pathname, search } = new URL(url)
      const request = { url: pathname + search, method, headers: Object.fromEntries(headers) }
      const response = new WebResponse(resolve, method === 'HEAD')
      listener(request as unknown as IncomingMessage, response as unknown as ServerResponse)
    })
}

/** The part of a `ServerResponse` that static files use. Resolves with a `Response` once its head is written. */
class WebResponse extends PassThrough {
  readonly #resolve: (response: Response) => void
  readonly #hasNoBody: boolean
  readonly #headers = new Headers()

  constructor(resolve: (response: Response) => void, hasNoBody: boolean) {
    super()
    this.#resolve = resolve
    this.#hasNoBody = hasNoBody
  }

  setHeader(name: string, value: string): void {
    this.#headers.set(name, value)
  }

  writeHead(status: number, headers: Readonly<Record<string, string>> = {}): this {
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value)
    const body = this.#hasNoBody || status === 304 ? null : (Readable.toWeb(this) as ReadableStream<Uint8Array>)
    this.#resolve(new Response(body, { status, headers: this.#headers }))
    return this
  }
}
