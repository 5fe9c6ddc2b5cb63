import { ApiError } from '@sdk/protocol'
import type { AuthSettings } from '../auth-options.ts'

/** A function that returns whether a page from an origin may send a user's cookie to a host. */
export type TrustsOrigin = (origin: string, host: string | null) => boolean

/** Creates a function that accepts the public origin and `trustedOrigins`. */
export function createTrustsOrigin({ baseURL, trustedOrigins }: AuthSettings): TrustsOrigin {
  return (origin, host) => trustedOrigins.includes(origin) || origin === (baseURL ?? originAt(host, origin))
}

/** The callback routes, to which providers send the browser with a POST request that has a `state` but no cookie. */
const CALLBACK = /\/(?:callback|acs)\//

/** Throws if a request comes from a page with an untrusted origin, even if the request has no cookie. */
export function assertOwnPage(request: Request, path: string, trusts: TrustsOrigin): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { headers } = request
  const page = pageOriginOf(headers)
  const isOwn = page === null ? headers.get('sec-fetch-site') !== 'cross-site' : trusts(page, hostOf(request))
  if (isOwn || (CALLBACK.test(path) && !headers.has('cookie'))) return
  const message = 'this origin may not use the auth routes: it is neither AUTH_URL nor in trustedOrigins'
  throw new ApiError('INVALID_ORIGIN', message, { status: 403 })
}

/** Returns the host of a request. */
export function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host
}

function pageOriginOf(headers: Headers): string | null {
  const origin = headers.get('origin')
  const referer = headers.get('referer')
  if (origin !== null || referer === null) return origin
  return URL.canParse(referer) ? new URL(referer).origin : 'null'
}

/** Returns the origin if it has this host, otherwise null. Used if there is no base URL. */
function originAt(host: string | null, origin: string): string | null {
  return URL.canParse(origin) && new URL(origin).host === host && new URL(origin).origin === origin ? origin : null
}
