import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** A function that handles one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** A real server on a free local port. */
export interface TestServer {
  readonly url: string
  /** `METHOD /path` of every request, in order. */
  readonly requests: string[]
  close(): Promise<void>
}

export async function startServer(handler: RequestListener): Promise<TestServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    // A browser in another test may still send requests to the server that previously used this port.
    if (request.headers['user-agent']?.includes('Chrome')) {
      response.destroy()
      return
    }
    requests.push(`${request.method} ${request.url}`)
    handler(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Returns a handler that responds with JSON. */
export function respond(status: number, body: unknown, headers: Record<string, string> = {}): Handler {
  return (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Returns the error that a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )
}
