import type { ServerRequest } from './server-request.ts'

let prefix = ''
let requestCount = 0

/** An id that no other request has: 80 random bits for this process, and a number. A UUID would take six times as long. */
export function createRequestId(): string {
  // Made on first use: some platforms give no randomness before the first request.
  prefix ||= Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte % 32).toString(32)).join('')
  return `${prefix}-${(requestCount++).toString(36)}`
}

/** The id that a call brings along, where it is one; else a new one. */
export function requestIdOf(call: ServerRequest): string {
  const given = call.header('x-request-id')
  return given !== null && /^[A-Za-z0-9._~-]{8,128}$/.test(given) ? given : createRequestId()
}
