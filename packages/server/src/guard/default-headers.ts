import type { ServerRequest } from '../http/server-request.ts'
import type { Reply } from '../http/reply.ts'

/** A function that returns a reply's default header lines, including `lines`. The handler's headers override them. */
export type DefaultHeaders = (reply: Reply, call: ServerRequest, own: { requestId: string; lines: string }) => string

/** Creates a `DefaultHeaders` function. `isOpen` is true if pages from other origins may read replies. */
export function createDefaultHeaders(isOpen: boolean): DefaultHeaders {
  const made: string[] = []
  return ({ status }, call, { requestId, lines }) => {
    const isRead = call.method === 'GET' || call.method === 'HEAD'
    const isFresh = isRead && (status === 200 || status === 304)
    const kind = (isRead ? 1 : 0) + (isFresh ? 2 : 0) + (call.isSecure ? 4 : 0)
    const common = (made[kind] ??= commonLines({ isRead, isFresh, isOpen, isSecure: call.isSecure }))
    return `x-request-id: ${requestId}\r\n${lines}${common}`
  }
}

/** Returns the default header lines for the reply to a malformed request. */
export function minimalDefaultHeaders(requestId: string): string {
  return `x-request-id: ${requestId}\r\n${commonLines({ isRead: false, isFresh: false, isOpen: false, isSecure: false })}`
}

/** The names of all default headers. */
export const DEFAULT_HEADER_NAMES: ReadonlySet<string> = new Set([
  'x-request-id',
  'ratelimit-policy',
  'ratelimit',
  'x-content-type-options',
  'content-security-policy',
  'referrer-policy',
  'cross-origin-resource-policy',
  'cache-control',
  'vary',
  'strict-transport-security',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
])

/** Returns all headers of a reply: those that it sets, and the default headers that it does not set. */
export function mergeDefaultHeaders({ headers, defaultHeaders = '' }: Reply): Reply['headers'] {
  const whole = { ...headers }
  for (const line of defaultHeaders.split('\r\n')) {
    const at = line.indexOf(': ')
    if (at > 0) whole[line.slice(0, at)] ??= line.slice(at + 2)
  }
  return whole
}

type HeaderVariant = Record<'isRead' | 'isFresh' | 'isOpen' | 'isSecure', boolean>

function commonLines({ isRead, isFresh, isOpen, isSecure }: HeaderVariant): string {
  const vary = commonVary(isRead, isOpen).join(', ')
  return [
    'x-content-type-options: nosniff',
    "content-security-policy: default-src 'none'; frame-ancestors 'none'",
    'referrer-policy: no-referrer',
    `cross-origin-resource-policy: ${isOpen ? 'cross-origin' : 'same-origin'}`,
    `cache-control: ${isFresh ? 'private, no-cache' : 'no-store'}`,
    ...(vary === '' ? [] : [`vary: ${vary}`]),
    ...(isSecure ? ['strict-transport-security: max-age=31536000'] : []),
    '',
  ].join('\r\n')
}

/** Adds the default `Vary` values to those that a reply already has. */
export function extendVary(headers: Reply['headers'], method: string, isOpen: boolean): void {
  const isRead = method === 'GET' || method === 'HEAD'
  headers['vary'] = [String(headers['vary']), ...commonVary(isRead, isOpen)].join(', ')
}

function commonVary(isRead: boolean, isOpen: boolean): string[] {
  return [...(isRead ? ['Accept', 'Authorization', 'Cookie'] : []), ...(isOpen ? ['Origin'] : [])]
}
