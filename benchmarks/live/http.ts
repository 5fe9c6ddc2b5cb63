import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

/** A response, with the size of its body. */
export interface Answer {
  readonly status: number
  readonly etag: string
  readonly bytes: number
}

/** Sends a request on a kept connection. */
export function send(
  port: number,
  method: string,
  path: string,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = request(
      { agent, port, host: '127.0.0.1', method, path, headers: { ...type, ...headers } },
      (response) => {
        let bytes = 0
        response.on('data', (chunk: Buffer) => (bytes += chunk.length))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, etag: response.headers.etag ?? '', bytes }),
        )
      },
    )
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Closes the kept connections. */
export function closeConnections(): void {
  agent.destroy()
}
