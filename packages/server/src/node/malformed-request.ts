import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, type ErrorCode } from '@sdk/protocol'
import { errorReply, type ErrorReply } from '../http/error-response.ts'
import { httpError } from '../http/http-error.ts'
import { createRequestId } from '../http/request-id.ts'
import { minimalDefaultHeaders, mergeDefaultHeaders } from '../guard/default-headers.ts'
import { isFirstRejection, lastResponse, type TrackedSocket } from './connections.ts'

/** The responses to errors from Node's HTTP parser, by error code. All other errors are `INVALID_REQUEST`. */
const PARSER_ERRORS: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['REQUEST_HEADER_FIELDS_TOO_LARGE', 'the headers are larger than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'the request did not arrive in time'],
  // After an uncaught error during parsing, Node can no longer read from this connection.
  HPE_JS_EXCEPTION: ['SERVICE_UNAVAILABLE', 'the connection failed; try again'],
}

/** A function that creates the reply for an error, in the app's format. */
type ToErrorReply = (error: ApiError) => ErrorReply

/** Rejects input that could not be parsed (bad syntax, headers too large, timeout) and closes the connection. */
export function rejectMalformedRequest(
  error: Error & { code?: string },
  stream: TrackedSocket,
  toReply: ToErrorReply,
): void {
  if (error.code === 'ECONNRESET' || !stream.writable) return void stream.destroy()
  if (!isFirstRejection(stream)) return
  const [code, message] = PARSER_ERRORS[error.code ?? ''] ?? ['INVALID_REQUEST', 'the request is not valid HTTP/1.1']
  const refusal = httpError(code, message, code === 'SERVICE_UNAVAILABLE' ? { retryAfter: 1 } : {})
  const last = lastResponse(stream)
  if (last !== undefined && !last.req.complete) rejectUnfinished(last, refusal, toReply)
  else if (last === undefined || last.writableFinished) writeErrorResponse(stream, refusal, toReply)
  else last.once('finish', () => writeErrorResponse(stream, refusal, toReply))
}

/** Rejects a request that became invalid after its handler started, and destroys it so that the handler is notified. */
function rejectUnfinished(response: ServerResponse, refusal: ApiError, toReply: ToErrorReply): void {
  const { req } = response
  req.socket.once('close', () => req.destroy())
  // The response was sent before the entire body was received. The client would mistake a second response for the
  // response to its next request.
  if (response.writableEnded) endSoon(req.socket.end())
  else if (response.headersSent) req.socket.destroy()
  else rejectRequest(response, refusal, toReply)
}

/** Rejects a request with an invalid head, after all earlier responses have been sent, and closes the connection. */
export function rejectRequest(response: ServerResponse, error: ApiError, toReply: ToErrorReply): void {
  const reply = minimalReply(toReply(error))
  response.shouldKeepAlive = false
  response.writeHead(reply.status, mergeDefaultHeaders(reply))
  response.end(reply.body)
}

/** Writes an error response to a raw connection and closes it. */
export function writeErrorResponse(stream: Duplex, error: ApiError, toReply: ToErrorReply = errorReply): void {
  const reply = minimalReply(toReply(error))
  const headers = { date: new Date().toUTCString(), ...mergeDefaultHeaders(reply), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  stream.on('error', ignoreError)
  stream.end(`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ''}\r\n${lines.join('')}\r\n${reply.body}`)
  endSoon(stream)
}

/** Destroys a connection after one second, so that the response has time to arrive. */
function endSoon(stream: Duplex): void {
  setTimeout(() => stream.destroy(), 1_000).unref()
}

/** Ignores errors on connections that are being closed. */
export function ignoreError(): void {}

/** Returns an error for an invalid request head that Node accepts, or null if the head is valid. */
export function findMalformation(incoming: IncomingMessage): ApiError | null {
  if (incoming.httpVersionMajor < 1) return new ApiError('INVALID_REQUEST', 'the request is not valid HTTP/1.1')
  const hosts = countHosts(incoming)
  // HTTP/1.0 does not require a Host header, and load balancer health checks omit it.
  if (hosts === 0 && incoming.httpVersionMinor === 0) return null
  if (hosts !== 1) return new ApiError('INVALID_REQUEST', `a request must have one Host header, got ${hosts}`)
  if (!isHost(incoming.headers.host ?? '')) return new ApiError('INVALID_REQUEST', 'the Host header is invalid')
  return null
}

function minimalReply(reply: ErrorReply): ErrorReply {
  reply.headers['content-length'] = String(Buffer.byteLength(reply.body))
  return { ...reply, defaultHeaders: minimalDefaultHeaders(createRequestId()) }
}

/** The last valid host, cached because most requests have the same one. */
let knownHost = ''

function isHost(host: string): boolean {
  if (host === knownHost) return host !== ''
  if (!/^[!-~]+$/.test(host) || /[/?#@\\]/.test(host) || !URL.canParse(`http://${host}`)) return false
  knownHost = host
  return true
}

/** Counts the `Host` headers. If there are two, a proxy may have checked the other one. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name !== undefined && name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}
