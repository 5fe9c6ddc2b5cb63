import { ApiError, fromAuthorization } from '@sdk/protocol'
import { verifyAccessToken } from '../session/access-token.ts'
import { verifySigned } from '../session/session-cookie.ts'

/** Asks for the session token in the answer (`1`), and carries it there. */
export const TOKEN_HEADER = 'x-sdk-token'

/** The only routes where a session token counts as the cookie does; everywhere else only access tokens count. */
const BEARER_PATHS: ReadonlySet<string> = new Set(['/access-token', '/get-session', '/sign-out'])

/**
 * The session token that a page of another site sends in place of the cookie; null where the cookie counts.
 * What is shown and not good is 401, whatever cookie is beside it.
 */
export function bearerSession(headers: Headers, path: string, secret: string): string | null {
  const authorization = headers.get('authorization')
  if (authorization === null || !BEARER_PATHS.has(path)) return null
  const token = fromAuthorization(authorization)
  if (token === null || verifySigned(token, secret) === null)
    throw new ApiError('UNAUTHORIZED', 'The session token is not valid')
  return token
}

/** The id of the session whose access token, also an old one, is shown. Only to end it: no token may beget another. */
export function accessSession(headers: Headers, secret: string): string | null {
  const token = fromAuthorization(headers.get('authorization'))
  return token === null ? null : (verifyAccessToken(token, secret, 0)?.sessionId ?? null)
}

/** The signed session token that an answer puts into the cookie; null where it puts none there. */
export function issuedSession(answer: Response, cookieName: string): string | null {
  const line = answer.headers.getSetCookie().findLast((one) => one.startsWith(`${cookieName}=`))
  return line === undefined ? null : valueOf(line.split(';', 1)[0] ?? '')
}

/**
 * Lets an answer remove no cookie. An answer that a session is gone may arrive after the one that began the next, as
 * when a password is changed: the browser would lose the new cookie.
 */
export function keepCookies(headers: Headers): void {
  const lines = headers.getSetCookie().filter((line) => !/;\s*max-age=0\b/i.test(line))
  headers.delete('set-cookie')
  for (const line of lines) headers.append('set-cookie', line)
}

/** A signed value without its signature. */
export function unsigned(value: string): string {
  return value.slice(0, Math.max(0, value.lastIndexOf('.')))
}

function valueOf(pair: string): string | null {
  const value = pair.slice(pair.indexOf('=') + 1)
  try {
    return value === '' ? null : decodeURIComponent(value)
  } catch {
    // Not what we wrote.
    return null
  }
}
