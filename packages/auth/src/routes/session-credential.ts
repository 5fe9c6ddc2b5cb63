import { ApiError, fromAuthorization } from '@sdk/protocol'
import { verifyAccessToken } from '../session/access-token.ts'
import { verifySigned } from '../session/session-cookie.ts'

/** The header that requests the session token if set to `1`, and contains the token in the response. */
export const TOKEN_HEADER = 'x-sdk-token'

/** The only routes that accept a session token instead of the cookie; all others accept only access tokens. */
const BEARER_PATHS: ReadonlySet<string> = new Set(['/access-token', '/get-session', '/sign-out'])

/**
 * Returns the session token that a page on another site sends instead of the cookie, or null if the cookie applies.
 * Throws 401 if the token is invalid, even if the request has a valid cookie.
 */
export function bearerSession(headers: Headers, path: string, secret: string): string | null {
  const authorization = headers.get('authorization')
  if (authorization === null || !BEARER_PATHS.has(path)) return null
  const token = fromAuthorization(authorization)
  if (token === null || verifySigned(token, secret) === null)
    throw new ApiError('UNAUTHORIZED', 'The session token is invalid')
  return token
}

/**
 * Returns the session id in an access token, even if the token has expired. Only for sign-out: an access token must not
 * be enough to get a new one.
 */
export function accessSession(headers: Headers, secret: string): string | null {
  const token = fromAuthorization(headers.get('authorization'))
  return token === null ? null : (verifyAccessToken(token, secret, 0)?.sessionId ?? null)
}

/** Returns the signed session token that a response sets as a cookie, or null if it does not set one. */
export function issuedSession(answer: Response, cookieName: string): string | null {
  const line = answer.headers.getSetCookie().findLast((one) => one.startsWith(`${cookieName}=`))
  return line === undefined ? null : valueOf(line.split(';', 1)[0] ?? '')
}

/**
 * Removes `Set-Cookie` lines that delete cookies. A response about an ended session may arrive after the response that
 * started the next session, for example when a password changes. The browser would then lose the new cookie.
 */
export function keepCookies(headers: Headers): void {
  const lines = headers.getSetCookie().filter((line) => !/;\s*max-age=0\b/i.test(line))
  headers.delete('set-cookie')
  for (const line of lines) headers.append('set-cookie', line)
}

/** Removes the signature from a signed value. */
export function unsigned(value: string): string {
  return value.slice(0, Math.max(0, value.lastIndexOf('.')))
}

function valueOf(pair: string): string | null {
  const value = pair.slice(pair.indexOf('=') + 1)
  try {
    return value === '' ? null : decodeURIComponent(value)
  } catch {
    // The value was not written by this package.
    return null
  }
}
