import { ApiError } from '@sdk/protocol'
import { clientAddress, createTrust } from '@sdk/server'
import type { RequestOrigin } from '../auth.ts'
import type { AuthSettings } from '../auth-options.ts'
import { type AttemptKind, attemptAt } from './attempt.ts'
import { type AuthBody, readAuthBody } from './auth-body.ts'
import { toAuthPath } from './auth-path.ts'
import { isOAuthClientRoute } from './oauth-routes.ts'
import { assertRedirects } from './redirect-target.ts'
import { accessSession, bearerSession } from './session-credential.ts'
import { assertOwnPage, hostOf, type TrustsOrigin } from './trusted-origin.ts'

/** A request to an auth route that has passed all checks that do not need the database. */
export interface AuthCall extends Pick<AuthBody, 'text' | 'members'> {
  readonly request: Request
  /** The canonical path, relative to the base path. */
  readonly path: string
  readonly search: string
  /** The client's address, or undefined if it is unknown. */
  readonly address: string | undefined
  readonly attempt: AttemptKind | null
  /** The signed session token that replaces the cookie, or null. */
  readonly bearer: string | null
  /** The session id in the access token of a sign-out request, or null if there is no such token. */
  readonly signOutSession: string | null
  /** Whether the caller is an OAuth client, which uses no cookies. */
  readonly isOAuthClient: boolean
}

/** Creates a function that checks a request, cheapest checks first. It throws the `ApiError` to respond with. */
export function createAuthCallReader(
  settings: AuthSettings,
  trusts: TrustsOrigin,
): (request: Request, from: RequestOrigin) => Promise<AuthCall> {
  const { basePath, secret, trustedProxies } = settings
  const isProxy = createTrust(trustedProxies)

  return async (request, { address }) => {
    const { pathname, search, searchParams } = new URL(request.url)
    const path = toAuthPath(pathname, basePath)
    const isOAuthClient = settings.mcp !== null && isOAuthClientRoute(path)
    if (!isOAuthClient) assertOwnPage(request, path, trusts)
    const attempt = attemptAt(request.method, path)
    const { text, members, isForm } = await readAuthBody(request)
    // The account is only read from JSON, so attempts that submit a form could not be limited.
    if (isForm && attempt !== null) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'the body must be JSON on this route')
    assertRedirects(searchParams, members, (origin) => trusts(origin, hostOf(request)))
    const leaving = request.method === 'POST' && path === '/sign-out' ? accessSession(request.headers, secret) : null
    const bearer = settings.bearer && leaving === null ? bearerSession(request.headers, path, secret) : null
    const forwarded = request.headers.get('x-forwarded-for')
    const caller = address === undefined ? undefined : clientAddress(address, forwarded, isProxy)
    const sent = { request, path, search, text, members }
    return { ...sent, address: caller, attempt, bearer, signOutSession: leaving, isOAuthClient }
  }
}
