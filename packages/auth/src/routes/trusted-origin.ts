import { ApiError } from '@sdk/protocol'
import type { AuthSettings } from '../auth-options.ts'

/** May a page of this origin act with a user's cookie, at a server reached under this host? */
export type TrustsOrigin = (origin: string, host: string | null) => boolean

/** Trusts the origin users see, and those that were named. */
export function createTrustsOrigin({ baseURL, trustedOrigins }: AuthSettings): TrustsOrigin {
  return (origin, host) => trustedOrigins.includes(origin) || origin === (baseURL ?? originAt(host, origin))
}

/** Where other sites send the user's browser back to, by a form: they have the state of the sign-in, and no cookie. */
const CALLBACK = /\/(?:callback|acs)\//

/** Refuses what a page of another origin makes a browser send: with a cookie, and for the auth routes without one too. */
export function assertOwnPage(request: Request, path: string, trusts: TrustsOrigin): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { headers } = request
  const page = pageOriginOf(headers)
  const isOwn = page === null ? headers.get('sec-fetch-site') !== 'cross-site' : trusts(page, hostOf(request))
  if (isOwn || (CALLBACK.test(path) && !headers.has('cookie'))) return
  const message = 'a page of this origin may not use the auth routes: it is neither AUTH_URL nor in trustedOrigins'
  throw new ApiError('INVALID_ORIGIN', message, { status: 403 })
}

/** The host a request was sent to. */
export function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host
}

function pageOriginOf(headers: Headers): string | null {
  const origin = headers.get('origin')
  const referer = headers.get('referer')
  if (origin !== null || referer === null) return origin
  return URL.canParse(referer) ? new URL(referer).origin : 'null'
}

/** Without a base URL the page must come from the host it calls, whichever that is. */
function originAt(host: string | null, origin: string): string | null {
  return URL.canParse(origin) && new URL(origin).host === host && new URL(origin).origin === origin ? origin : null
}
