import type { ServerRequest } from '../http/server-request.ts'
import { NO_DEFAULT_HEADERS, type DefaultHeaders, type Reply } from '../http/reply.ts'

/** A function that returns a reply's default headers. `lines` and `policyLine` are its own and its route's. */
export type CreateDefaultHeaders = (
  reply: Reply,
  call: ServerRequest,
  own: { lines: string; policyLine: string },
) => DefaultHeaders

/** Creates the function for an app. `isOpen` is true if pages from other origins may read replies. */
export function createDefaultHeaders(isOpen: boolean): CreateDefaultHeaders {
  const made = new Map<string, string[]>()
  return ({ status }, call, { lines, policyLine }) => {
    const isRead = call.method === 'GET' || call.method === 'HEAD'
    const isFresh = isRead && (status === 200 || status === 304)
    const kind = (isRead ? 1 : 0) + (isFresh ? 2 : 0) + (call.isSecure ? 4 : 0)
    let variants = made.get(policyLine)
    if (variants === undefined) made.set(policyLine, (variants = []))
    const common = (variants[kind] ??= policyLine + commonLines({ isRead, isFresh, isOpen, isSecure: call.isSecure }))
    return { own: lines, common }
  }
}

/** Returns the default headers for the reply to a malformed request. */
export function minimalDefaultHeaders(requestId: string): DefaultHeaders {
  const common = commonLines({ isRead: false, isFresh: false, isOpen: false, isSecure: false })
  return { own: `x-request-id: ${requestId}\r\n`, common }
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
export function mergeDefaultHeaders({
  headers,
  defaultHeaders = NO_DEFAULT_HEADERS,
}: Pick<Reply, 'headers' | 'defaultHeaders'>): Reply['headers'] {
  const whole = { ...headers }
  forEachLine(defaultHeaders.own + defaultHeaders.common, (name, value) => (whole[name] ??= value))
  return whole
}

/** Calls back with the name and value of each header line. */
export function forEachLine(lines: string, onLine: (name: string, value: string) => void): void {
  for (let at = 0, end = lines.indexOf('\r\n'); end !== -1; at = end + 2, end = lines.indexOf('\r\n', at)) {
    const colon = lines.indexOf(': ', at)
    onLine(lines.slice(at, colon), lines.slice(colon + 2, end))
  }
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
