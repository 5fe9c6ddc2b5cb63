import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Reply } from '../http/reply.ts'
import { DEFAULT_HEADER_NAMES, mergeDefaultHeaders } from '../guard/default-headers.ts'
import { internals, type ResponseInternals } from './node-internals.ts'

/** The framing of a body: its length in bytes, `chunked`, or `none` for a response without framing headers. */
export type BodySize = number | 'chunked' | 'none'

/**
 * A function that writes the head of a response. It returns true if this module built the head instead of Node. The
 * first `sendChunk` call then sends the head, and the caller must frame the body.
 */
export type HeadWriter = (response: ServerResponse, reply: Reply, size: BodySize) => boolean

/** Writes heads with Node's public API, which works in every runtime. */
export const nodeHeadWriter: HeadWriter = (response, reply, size) => {
  const headers = mergeDefaultHeaders(reply)
  if (typeof size === 'number') headers['content-length'] = String(size)
  else delete headers['content-length']
  response.writeHead(reply.status, headers)
  return false
}

/**
 * Creates a head writer for a server that keeps idle connections open for `keepAlive` seconds.
 *
 * Node validates every header of every response again and concatenates the head line by line. Its `end` passes two
 * chunks to the socket, and its `write` passes four, where one is enough. Together, this accounts for a fifth of the
 * time spent on a small request. Common heads (see `headOf`) are therefore built by this module: the handler's headers
 * are validated, and the default lines are prebuilt. Node writes all other heads, and every head until `probeInternals`
 * has succeeded. See decisions/0007.
 */
export function createHeadWriter(keepAlive: number): HeadWriter {
  const end = `connection: keep-alive\r\nkeep-alive: timeout=${keepAlive}\r\n\r\n`
  return (response, reply, size) => {
    const isOurs = internals.setsHead && size !== 'none' && isPersistent(response)
    const head = isOurs ? headOf(reply, size) : null
    if (head === null) return nodeHeadWriter(response, reply, size)
    response.statusCode = reply.status
    ;(response as unknown as ResponseInternals)._header = head + dateLine() + end
    return true
  }
}

/**
 * Sends a chunk in one write. The first chunk is sent together with the head; an empty first chunk sends only the
 * head. Returns false if the data was buffered.
 */
export function sendChunk(response: ServerResponse, piece: string | Uint8Array, encoding?: 'latin1' | 'utf8'): boolean {
  return (response as unknown as ResponseInternals)._send(piece, encoding)
}

/**
 * Returns whether the connection is kept alive and the response can be sent now. Node writes the heads for closing
 * connections, HTTP/1.0 and pipelined responses.
 */
function isPersistent({ shouldKeepAlive, req, socket }: ServerResponse): boolean {
  return shouldKeepAlive && req.httpVersionMinor === 1 && socket !== null
}

/** Builds the head of a response without the connection headers. Returns null if Node must write the head. */
function headOf({ status, headers, defaultHeaders }: Reply, size: number | 'chunked'): string | null {
  const reason = STATUS_CODES[status]
  if (reason === undefined || defaultHeaders === undefined) return null
  let own = ''
  for (const name in headers) {
    const value = headers[name]
    if (name === 'content-type' && value === 'application/json') own += 'content-type: application/json\r\n'
    else if (isPlainHeader(name, value)) own += `${name}: ${value}\r\n`
    else return null
  }
  const length = size === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${size}`
  return `HTTP/1.1 ${status} ${reason}\r\n${own}${length}\r\n${defaultHeaders.own}${defaultHeaders.common}`
}

/** Matches header names, except those that Node handles. */
const PLAIN_NAME =
  /^(?!(?:connection|content-length|date|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$)[a-z][a-z0-9-]*$/

/** Returns whether a header can be written as is: it is not a default header, and it cannot inject another line. */
function isPlainHeader(name: string, value: string | string[] | undefined): value is string {
  return (
    typeof value === 'string' &&
    PLAIN_NAME.test(name) &&
    /^[\t\x20-\x7e]*$/.test(value) &&
    !DEFAULT_HEADER_NAMES.has(name)
  )
}

let dateSecond = 0
let date = ''

/** Returns the `Date` header line, cached for one second. */
function dateLine(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = `date: ${new Date(second * 1000).toUTCString()}\r\n`
  }
  return date
}
