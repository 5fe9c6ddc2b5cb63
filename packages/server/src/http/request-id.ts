import type { ServerRequest } from './server-request.ts'

let prefix = ''
let requestCount = 0

/** Creates a unique request id from 80 random bits per process and a counter. A UUID would take six times as long. */
export function createRequestId(): string {
  // Created on first use: some platforms provide no randomness before the first request.
  prefix ||= Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte % 32).toString(32)).join('')
  return `${prefix}-${(requestCount++).toString(36)}`
}

/** Returns the request's `X-Request-Id` if it is valid, or a new id otherwise. */
export function requestIdOf(call: ServerRequest): string {
  const given = call.header('x-request-id')
  return given !== null && /^[A-Za-z0-9._~-]{8,128}$/.test(given) ? given : createRequestId()
}
