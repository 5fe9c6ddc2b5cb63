import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, type ErrorCode } from '@sdk/protocol'
import type { Reply } from '../http/call.ts'
import { errorReply } from '../http/error-response.ts'
import { refuse } from '../http/http-error.ts'
import { createRequestId } from '../http/request-id.ts'
import { bareStamp, wholeHeaders } from '../guard/default-headers.ts'
import { isFirstRefusal, lastAnswer, type Noted } from './connections.ts'

/** What Node's HTTP parser says is wrong with a request, in our words. Anything else is a malformed request. */
const FAULTS: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['REQUEST_HEADER_FIELDS_TOO_LARGE', 'the headers have more than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'the request did not come in time'],
  // An error that escaped a handler while Node was reading leaves it unable to read this connection any further.
  HPE_JS_EXCEPTION: ['SERVICE_UNAVAILABLE', 'this connection broke; try again'],
}

/** Answers what never became a request: bad syntax, headers too large, too slow. The connection ends. */
export function answerClientError(error: Error & { code?: string }, stream: Noted): void {
  if (error.code === 'ECONNRESET' || !stream.writable) {
    stream.destroy()
    return
  }
  if (!isFirstRefusal(stream)) return
  const [code, message] = FAULTS[error.code ?? ''] ?? ['INVALID_REQUEST', 'the request is not HTTP/1.1']
  const refusal = refuse(code, message, code === 'SERVICE_UNAVAILABLE' ? { retryAfter: 1 } : {})
  const last = lastAnswer(stream)
  if (last === undefined || last.writableFinished) writeRefusal(stream, refusal)
  else if (last.req.complete) last.once('finish', () => writeRefusal(stream, refusal))
  else refuseUnfinished(last, refusal)
}

/**
 * Refuses a request that is wrong after its handler has begun: the handler must hear that no more of the body comes.
 */
function refuseUnfinished(response: ServerResponse, refusal: ApiError): void {
  const { req } = response
  req.socket.once('close', () => req.destroy())
  if (response.headersSent) req.socket.destroy()
  else refuseRequest(response, refusal)
}

/** Refuses a request whose first lines are wrong, in its turn; the connection ends. */
export function refuseRequest(response: ServerResponse, error: ApiError): void {
  const reply = bareReply(error)
  response.shouldKeepAlive = false
  response.writeHead(reply.status, wholeHeaders(reply))
  response.end(reply.body)
}

/** Writes an error to a bare connection, and ends it. */
export function writeRefusal(stream: Duplex, error: ApiError): void {
  const { status, body, ...rest } = bareReply(error)
  const headers = { ...wholeHeaders({ status, body, ...rest }), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  stream.on('error', ignore)
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`)
  // A moment for the answer to arrive; whoever does not hang up then is hung up on.
  setTimeout(() => stream.destroy(), LAST_WORDS).unref()
}

/** How long a refused connection may stay, in ms. */
const LAST_WORDS = 1_000

/** A connection that we end may break before, which is nobody's business. */
export function ignore(): void {}

/** What is wrong with the first lines of a request, though Node let them pass; null: nothing. */
export function faultOf(incoming: IncomingMessage): ApiError | null {
  if (incoming.httpVersionMajor < 1) return new ApiError('INVALID_REQUEST', 'the request is not HTTP/1.1')
  if (!hasOneHost(incoming)) return new ApiError('INVALID_REQUEST', 'a request has exactly one Host header')
  if (!isHost(incoming.headers.host ?? '')) return new ApiError('INVALID_REQUEST', 'the Host header names no host')
  return null
}

function bareReply(error: ApiError): Reply & { body: string } {
  const reply = errorReply(error)
  reply.headers['content-length'] = String(Buffer.byteLength(reply.body))
  return { ...reply, stamp: bareStamp(createRequestId()) }
}

/** Most requests name the same host as the one before. */
let knownHost = ''

function isHost(host: string): boolean {
  if (host === knownHost) return host !== ''
  if (!/^[!-~]+$/.test(host) || /[/?#@\\]/.test(host) || !URL.canParse(`http://${host}`)) return false
  knownHost = host
  return true
}

/** Two `Host` headers are two opinions on where a request goes: a proxy may have checked the other one. */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name !== undefined && name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count === 1
}
