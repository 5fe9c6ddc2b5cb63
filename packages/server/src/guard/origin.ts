import type { ApiError } from '@sdk/protocol'
import type { SessionProvider } from '../auth/session-provider.ts'
import type { ServerRequest } from '../http/server-request.ts'
import type { Reply } from '../http/reply.ts'
import { httpError } from '../http/http-error.ts'

/** Who may call from other pages, and what they are told. */
export interface OriginRules {
  /** May pages of other origins read answers at all? */
  readonly isOpen: boolean
  /** The header lines that let the calling page read the answer; none for other pages. */
  permission(call: ServerRequest): string
  /** Answers a preflight: 204 to everyone, with permission for those who have it. */
  preflight(call: ServerRequest): Reply | null
  /** Is this call made by a page of ours, or by no page at all? */
  isTrusted(call: ServerRequest): boolean
}

const CORS_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, traceparent, tracestate'
const EXPOSED_HEADERS =
  'Deprecation, ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Request-Id'

const PERMISSION = `access-control-allow-credentials: true\r\naccess-control-expose-headers: ${EXPOSED_HEADERS}`

/** The rules for these other origins and those the session names; none means that only our own pages may call. */
export function createOriginRules(origins: readonly string[], session: SessionProvider | null): OriginRules {
  const signingIn = new Set(session?.origins)
  const allowed = new Set([...origins, ...signingIn].map(assertExactOrigin))
  const isOpen = allowed.size > 0
  // Pages that sign users in may send and read the token, too, that is their cookie.
  const more = (origin: string): string => (signingIn.has(origin) ? ', X-Sdk-Token' : '')

  return {
    isOpen,
    permission(call) {
      const origin = isOpen ? call.header('origin') : null
      if (origin === null || !allowed.has(origin)) return ''
      return `access-control-allow-origin: ${origin}\r\n${PERMISSION}${more(origin)}\r\n`
    },
    preflight(call) {
      const origin = call.header('origin')
      if (origin === null || call.header('access-control-request-method') === null) return null
      const headers: Reply['headers'] = {}
      if (allowed.has(origin)) {
        headers['access-control-allow-methods'] = CORS_METHODS
        headers['access-control-allow-headers'] = REQUEST_HEADERS + more(origin)
        headers['access-control-max-age'] = '600'
      }
      return { status: 204, headers, body: null }
    },
    isTrusted(call) {
      const origin = call.header('origin')
      if (origin === null) return call.header('sec-fetch-site') !== 'cross-site'
      const host = call.header('host')
      return allowed.has(origin) || (session?.trusts?.(origin, host) ?? isSameHost(origin, host))
    },
  }
}

/** A browser sends the cookie with whatever a foreign page makes it send: such a page may not act for its user. */
export function crossOriginForbidden(): ApiError {
  return httpError('FORBIDDEN', 'a page of another origin may not act for the signed-in user')
}

function isSameHost(origin: string, host: string | null): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}

function assertExactOrigin(origin: string): string {
  if (!origin.includes('*') && URL.canParse(origin) && new URL(origin).origin === origin) return origin
  throw new TypeError(`cors takes exact origins like "https://app.example.com", got ${JSON.stringify(origin)}`)
}
