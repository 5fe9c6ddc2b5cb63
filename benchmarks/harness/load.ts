import { connect, type Socket } from 'node:net'

/** A load: one request, or a sequence of requests, on a number of connections for a given time. */
export interface Load {
  readonly port: number
  readonly request: Buffer | (() => Buffer)
  readonly connections: number
  readonly ms: number
  /** Continues until this many requests are answered, regardless of the time. @default 0 */
  readonly atLeast?: number
}

/** The result of a load. */
export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly statuses: ReadonlyMap<number, number>
}

/** Sends requests sequentially on each connection; the next is sent after the complete response. */
export async function runLoad({ port, request, connections, ms, atLeast = 0 }: Load): Promise<LoadResult> {
  const statuses = new Map<number, number>()
  const next = typeof request === 'function' ? request : () => request
  const started = performance.now()
  const until = started + ms
  let requests = 0
  await Promise.all(Array.from({ length: connections }, () => one()))
  return { requests, seconds: (performance.now() - started) / 1000, statuses }

  function one(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(next()))
      const reader = createReader((status) => {
        requests++
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (requests < atLeast || performance.now() < until) {
          socket.write(next())
        } else {
          socket.destroy()
          resolve()
        }
      })
      socket
        .on('data', reader)
        .on('error', reject)
        .on('end', () => reject(new Error('the server closed a connection')))
    })
  }
}

/** Calls back for every complete response, by `Content-Length` or by the last chunk. */
function createReader(done: (status: number) => void): (bytes: Buffer) => void {
  let text = ''
  return (bytes) => {
    text += bytes.toString('latin1')
    const head = text.indexOf('\r\n\r\n')
    if (head === -1) return
    const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1]
    const isWhole = length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= head + 4 + Number(length)
    if (!isWhole) return
    const status = Number(text.slice(9, 12))
    text = ''
    done(status)
  }
}
