import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Reply } from '../http/reply.ts'
import { DEFAULT_HEADER_NAMES, mergeDefaultHeaders } from '../guard/default-headers.ts'
import { internals, type ResponseInternals } from './node-internals.ts'

/** How a body is measured: its bytes, or piece by piece; or there is none, and nothing is said of it. */
export type BodySize = number | 'chunked' | 'none'

/**
 * Writes the head of an answer. Returns whether we wrote it, and not Node: then it is sent with the first `sendChunk`,
 * and we frame the body.
 */
export type HeadWriter = (response: ServerResponse, reply: Reply, size: BodySize) => boolean

/** Lets Node write heads: right everywhere. */
export const nodeHeadWriter: HeadWriter = (response, reply, size) => {
  const headers = mergeDefaultHeaders(reply)
  if (typeof size === 'number') headers['content-length'] = String(size)
  else delete headers['content-length']
  response.writeHead(reply.status, headers)
  return false
}

/**
 * Writes heads for a server that keeps idle connections for so many seconds.
 *
 * Node checks each header of each answer anew and puts the head together piece by piece, and `end` hands the socket
 * two pieces where one would do, `write` four: together a fifth of the time of a small request. So where nothing is
 * unusual (see `headOf`) the head is ours: what a handler set is checked, and our own lines are ready made. Everything
 * else is left to Node, and all of it where `probeInternals` has not seen that it works. See decisions/0007.
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

/** Sends a piece behind our head, or the head alone, in one write. False: the caller is slow. */
export function sendChunk(response: ServerResponse, piece: string | Uint8Array, encoding?: 'latin1' | 'utf8'): boolean {
  return (response as unknown as ResponseInternals)._send(piece, encoding)
}

/** Node knows best how a connection ends, how to speak to old callers, and how an answer waits for its turn. */
function isPersistent({ shouldKeepAlive, req, socket }: ServerResponse): boolean {
  return shouldKeepAlive && req.httpVersionMinor === 1 && socket !== null
}

/** The head of an answer, up to what is the connection's; null where Node has to see to it. */
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
  return `HTTP/1.1 ${status} ${reason}\r\n${own}${length}\r\n${defaultHeaders}`
}

/** A name of a header, but of none that Node acts on. */
const PLAIN_NAME =
  /^(?!(?:connection|content-length|date|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$)[a-z][a-z0-9-]*$/

/** A header that may be written as it is: nobody else says it, and nothing in it could begin another line. */
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

/** Made once a second. */
function dateLine(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = `date: ${new Date(second * 1000).toUTCString()}\r\n`
  }
  return date
}
