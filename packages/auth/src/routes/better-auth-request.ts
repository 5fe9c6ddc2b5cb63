import { ADDRESS_HEADER } from '../better-auth/better-auth-options.ts'
import type { AuthSettings } from '../auth-options.ts'
import { isAmbiguous, readCookieHeader } from '../session/session-cookie.ts'
import type { AuthCall } from './auth-call.ts'

/** What proxies say, and anybody else can say as well: the library is told what we know instead. */
const FORWARDED_HEADERS =
  /^(?:forwarded|x-forwarded-.+|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|content-length)$/

/** The request as the library gets it: at the origin users see, with a body that was read, and with the caller's address. */
export function toBetterAuthRequest(call: AuthCall, settings: AuthSettings, cookieName: string): Request {
  const { request, address, bearer } = call
  const { method } = request
  const origin = originOf(request, settings.baseURL)
  const headers = new Headers([...request.headers].filter(([name]) => !FORWARDED_HEADERS.test(name)))
  headers.set('host', new URL(origin).host)
  // Whether the page is ours is known by now, and the library would refuse those who are no page.
  if (!headers.has('origin')) headers.set('origin', origin)
  const cookie = readCookieHeader(headers)
  if (cookie === null || isAmbiguous(cookie, cookieName)) headers.delete('cookie')
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

/** The link to a new password has its token in the query, and the library looks for it in the path. */
function targetOf({ request, path, search }: AuthCall): string {
  const token = new URLSearchParams(search).get('token') ?? ''
  const isLink = request.method === 'GET' && path === '/reset-password' && /^[\w-]+$/.test(token)
  return isLink ? `${path}/${token}${search}` : path + search
}

function bodyOf({ path, text, members }: AuthCall): string | null {
  // Somebody else may know the old password, so the other sessions always end, whatever the form says.
  if (path === '/change-password') return JSON.stringify({ ...members, revokeOtherSessions: true })
  return text === '' ? null : text
}

/** Without a base URL a page knows better than we how it reached us: a proxy may speak https for us. */
function originOf(request: Request, baseURL: string | null): string {
  const url = new URL(request.url)
  const page = request.headers.get('origin')
  const isAtHost = page !== null && URL.canParse(page) && new URL(page).host === url.host
  return baseURL ?? (isAtHost ? page : url.origin)
}
