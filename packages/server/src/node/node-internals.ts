import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'

/** The undocumented members of Node's responses that we use; they have been there since its first versions. */
export interface ResponseInternals {
  /** Null until `writeHead`; sent before the first piece of the body. */
  _header: string | null
  /** Sends a piece of the body as it is. */
  _send(piece: string | Uint8Array, encoding?: string): boolean
}

/** The undocumented members of Node's connections that we use. */
export interface SocketInternals {
  /** Bytes that were handed to the system, those in its queue included. */
  readonly _bytesDispatched?: number
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

/** Which of them work in this runtime: none until `probeInternals` has seen it. */
export const internals = { setsHead: false, countsBytes: false }

let probed: Promise<void> | undefined

/**
 * Tries the members on a connection, once for each process. That they are there proves nothing: Bun has all of them, and
 * sends no header that is set this way.
 */
export function probeInternals(): Promise<void> {
  return (probed ??= probe())
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: probe\r\n\r\n'
const HEAD = 'HTTP/1.1 200 OK\r\nx-probe: 1\r\ntransfer-encoding: chunked\r\n\r\n'
const PIECES = ['2\r\nok\r\n', '0\r\n\r\n']
const EXPECTED = HEAD + PIECES.join('')

/** Far more than it takes: a millisecond or two. */
const PROBE_TIMEOUT_MS = 1_000

function probe(): Promise<void> {
  return new Promise((resolve) => {
    let socket: Socket | undefined
    let received = ''
    const server = createServer((request, response) => {
      socket = request.socket
      sendPieces(response)
    })
    const end = (): void => {
      server.closeAllConnections()
      server.close()
      resolve()
    }
    const onData = (text: string): void => {
      received += text
      if (received === EXPECTED && socket !== undefined)
        Object.assign(internals, readCounters(socket), { setsHead: true })
      if (received.length >= EXPECTED.length) end()
    }
    const onListening = (): void => {
      const { port } = server.address() as AddressInfo
      const client = connect(port, '127.0.0.1', () => client.write(REQUEST)).setEncoding('latin1')
      client.setTimeout(PROBE_TIMEOUT_MS, () => client.destroy())
      client.on('data', onData).on('error', end).on('close', end).unref()
    }
    // A machine without a loopback address is served in the documented ways. A server of its own also in a cluster,
    // where another worker could get the connection.
    server.on('error', end).listen({ port: 0, host: '127.0.0.1', exclusive: true }, onListening).unref()
  })
}

function sendPieces(response: ServerResponse): void {
  const members = response as unknown as ResponseInternals
  try {
    members._header = HEAD
    for (const piece of PIECES) members._send(piece, 'latin1')
    response.end()
  } catch {
    response.destroy() // another runtime may not have them at all
  }
}

/** All of it has arrived, so nothing may be in the queue. */
function readCounters(socket: Socket): Pick<typeof internals, 'countsBytes'> {
  const { _bytesDispatched: dispatched, _handle: handle } = socket as SocketInternals
  return { countsBytes: dispatched === EXPECTED.length && handle?.writeQueueSize === 0 }
}
