import type { ApiError } from '@sdk/protocol'
import type { SessionProvider } from '../auth/session-provider.ts'
import type { ServerRequest } from '../http/server-request.ts'
import type { Reply } from '../http/reply.ts'
import { httpError } from '../http/http-error.ts'
import { pathIn } from '../http/url.ts'

/** The rules for requests from pages on other origins. */
export interface OriginRules {
  /** Whether at least one other origin may read responses. */
  readonly isOpen: boolean
  /** Returns the header lines that allow the calling page to read the response, or `''` if the page is not allowed. */
  permission(call: ServerRequest): string
  /** Replies to a preflight with 204, plus CORS headers if the origin is allowed. Returns null for other requests. */
  preflight(call: ServerRequest): Reply | null
  /** Returns whether a request was sent by an allowed page, or not by a page at all. */
  isTrusted(call: ServerRequest): boolean
}

const CORS_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, ' +
  'Mcp-Protocol-Version, Mcp-Session-Id, Prefer, Run-Thread, X-Request-Id, traceparent, tracestate'
const EXPOSED_HEADERS =
  'Deprecation, ETag, Link, Location, Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, Run-Id, Run-Position, Sunset, ' +
  'WWW-Authenticate, X-Request-Id'

const EXPOSED = `access-control-expose-headers: ${EXPOSED_HEADERS}`
const PERMISSION = `access-control-allow-credentials: true\r\n${EXPOSED}`
/** The permission for pages of every origin, which does not include cookies. */
const OPEN_PERMISSION = `access-control-allow-origin: *\r\n${EXPOSED}\r\n`
const NO_PATHS: ReadonlySet<string> = new Set()

/**
 * Creates the rules that allow these origins and those of the session provider. If there are none, only same-origin
 * pages are allowed.
 */
export function createOriginRules(origins: readonly string[], session: SessionProvider | null): OriginRules {
  const signingIn = new Set(session?.origins)
  const allowed = new Set([...origins, ...signingIn].map(assertExactOrigin))
  const isOpen = allowed.size > 0
  const openPaths = session?.openPaths ?? NO_PATHS
  const isOpenPath = ({ target }: ServerRequest): boolean => openPaths.has(pathIn(target))
  // Pages on the session provider's origins may also send and read the token that replaces the cookie.
  const more = (origin: string): string => (signingIn.has(origin) ? ', X-Sdk-Token' : '')

  return {
    isOpen,
    permission(call) {
      const origin = isOpen || openPaths.size > 0 ? call.header('origin') : null
      if (origin === null) return ''
      if (!allowed.has(origin)) return isOpenPath(call) ? OPEN_PERMISSION : ''
      return `access-control-allow-origin: ${origin}\r\n${PERMISSION}${more(origin)}\r\n`
    },
    preflight(call) {
      const origin = call.header('origin')
      if (origin === null || call.header('access-control-request-method') === null) return null
      const headers: Reply['headers'] = {}
      if (allowed.has(origin) || isOpenPath(call)) {
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

/** Creates the error for a cross-origin write. Browsers send cookies even with requests from other sites (CSRF). */
export function crossOriginForbidden(): ApiError {
  return httpError('FORBIDDEN', 'cross-origin requests cannot use the session of the signed-in user')
}

function isSameHost(origin: string, host: string | null): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}

function assertExactOrigin(origin: string): string {
  if (!origin.includes('*') && URL.canParse(origin) && new URL(origin).origin === origin) return origin
  throw new TypeError(`cors must list exact origins like "https://app.example.com", got ${JSON.stringify(origin)}`)
}
