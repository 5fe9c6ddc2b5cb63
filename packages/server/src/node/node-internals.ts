import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'

/** The undocumented members of Node's responses that we use. They have existed since Node's first versions. */
export interface ResponseInternals {
  /** The response head, which is sent before the first chunk of the body. Null until `writeHead` is called. */
  _header: string | null
  /** Sends a chunk of the body without framing. */
  _send(piece: string | Uint8Array, encoding?: string): boolean
}

/** The undocumented members of Node's sockets that we use. */
export interface SocketInternals {
  /** The number of bytes passed to the handle, including those still in its write queue. */
  readonly _bytesDispatched?: number
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

/** Whether the undocumented members work in this runtime. Both flags are false until `probeInternals` verifies them. */
export const internals = { setsHead: false, countsBytes: false }

let probed: Promise<void> | undefined

/**
 * Tests the undocumented members on a local connection, once per process. Checking that they exist is not enough: Bun
 * has all of them, but does not send headers set this way.
 */
export function probeInternals(): Promise<void> {
  return (probed ??= probe())
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: probe\r\n\r\n'
const HEAD = 'HTTP/1.1 200 OK\r\nx-probe: 1\r\ntransfer-encoding: chunked\r\n\r\n'
const PIECES = ['2\r\nok\r\n', '0\r\n\r\n']
const EXPECTED = HEAD + PIECES.join('')

/** The timeout for the probe, which normally takes a millisecond or two. */
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
    // Without a loopback address, only the documented API is used. In a cluster, `exclusive` keeps other workers from
    // accepting the connection.
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
    response.destroy() // other runtimes might not have these members
  }
}

/** Checks the byte counters. The entire response has arrived, so the write queue must be empty. */
function readCounters(socket: Socket): Pick<typeof internals, 'countsBytes'> {
  const { _bytesDispatched: dispatched, _handle: handle } = socket as SocketInternals
  return { countsBytes: dispatched === EXPECTED.length && handle?.writeQueueSize === 0 }
}
