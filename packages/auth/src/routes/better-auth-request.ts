import { ADDRESS_HEADER } from '../better-auth/better-auth-options.ts'
import type { AuthSettings } from '../auth-options.ts'
import { isAmbiguous, readCookieHeader } from '../session/session-cookie.ts'
import type { AuthCall } from './auth-call.ts'

/** The proxy headers, which any client can forge. They are removed, and Better Auth gets the verified address. */
const FORWARDED_HEADERS =
  /^(?:forwarded|x-forwarded-.+|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|content-length)$/

/** Creates the request for Better Auth, with the public origin, the body that was read and the client's address. */
export function toBetterAuthRequest(call: AuthCall, settings: AuthSettings, cookieName: string): Request {
  const { request, address, bearer, isOAuthClient } = call
  const { method } = request
  const origin = originOf(request, settings.baseURL)
  const headers = new Headers([...request.headers].filter(([name]) => !FORWARDED_HEADERS.test(name)))
  headers.set('host', new URL(origin).host)
  // The origin has already been checked. Without one, Better Auth would reject clients that are not browsers.
  if (!headers.has('origin') || isOAuthClient) headers.set('origin', origin)
  const cookie = readCookieHeader(headers)
  if (cookie === null || isOAuthClient || isAmbiguous(cookie, cookieName)) headers.delete('cookie')
  else headers.set('cookie', cookie)
  if (address === undefined) headers.delete(ADDRESS_HEADER)
  else headers.set(ADDRESS_HEADER, address)
  if (bearer !== null) {
    headers.set('cookie', `${cookieName}=${encodeURIComponent(bearer)}`)
    headers.delete('authorization')
  }
  const url = `${origin}${settings.basePath}${targetOf(call)}`
  return new Request(url, { method, headers, body: bodyOf(call), signal: request.signal })
}

/** Returns the path and query. A password reset link has its token in the query; Better Auth expects it in the path. */
function targetOf({ request, path, search }: AuthCall): string {
  const token = new URLSearchParams(search).get('token') ?? ''
  const isLink = request.method === 'GET' && path === '/reset-password' && /^[\w-]+$/.test(token)
  return isLink ? `${path}/${token}${search}` : path + search
}

function bodyOf({ path, text, members }: AuthCall): string | null {
  // The old password may be compromised, so the other sessions are always ended, regardless of the body.
  if (path === '/change-password') return JSON.stringify({ ...members, revokeOtherSessions: true })
  return text === '' ? null : text
}

/** Returns the public origin. Without a base URL, the page's origin is preferred because a proxy may terminate TLS. */
export function originOf(request: Request, baseURL: string | null): string {
  const url = new URL(request.url)
  const page = request.headers.get('origin')
  const isAtHost = page !== null && URL.canParse(page) && new URL(page).host === url.host
  return baseURL ?? (isAtHost ? page : url.origin)
}
