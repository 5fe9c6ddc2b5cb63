import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, type ErrorCode } from '@sdk/protocol'
import type { Reply } from '../http/call.ts'
import { errorReply } from '../http/error-response.ts'
import { createRequestId } from '../http/request-id.ts'

/** What Node's HTTP parser says is wrong with a request, in our words. Anything else is a malformed request. */
const FAULTS: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['REQUEST_HEADER_FIELDS_TOO_LARGE', 'the headers have more than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'the request did not come in time'],
}

/** Answers a request that never became one: bad syntax, headers too large, too slow. The connection ends. */
export function answerClientError(error: Error & { code?: string }, stream: Duplex): void {
  if (error.code === 'ECONNRESET' || !stream.writable) {
    stream.destroy()
    return
  }
  const [code, message] = FAULTS[error.code ?? ''] ?? ['INVALID_REQUEST', 'the request is not HTTP/1.1']
  writeReply(stream, errorReply(new ApiError(code, message)))
}

/** Writes an answer to a bare connection, and ends it. */
export function writeReply(stream: Duplex, { status, headers, body }: Reply): void {
  const text = typeof body === 'string' ? body : ''
  const all: Reply['headers'] = {
    'x-request-id': createRequestId(),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...headers,
    connection: 'close',
    'content-length': String(Buffer.byteLength(text)),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\r\n`)
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`)
}
