import { setTimeout } from 'node:timers/promises'
import { ApiError, isApiError } from '@sdk/protocol'
import { attachFailure } from '@sdk/server'
import type { Auth } from '../auth.ts'
import type { AuthSettings } from '../auth-options.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { orUnavailable } from '../better-auth/unavailable.ts'
import { endSession } from '../session/end-session.ts'
import { readSignedCookie } from '../session/session-cookie.ts'
import { findAccount, findResetAccounts } from './account-of.ts'
import { isSignInRoute } from './attempt.ts'
import type { AttemptLimits } from './attempt-limits.ts'
import { type AuthCall, createAuthCallReader } from './auth-call.ts'
import { toAuthResponse, toErrorResponse } from './auth-response.ts'
import { toBetterAuthRequest } from './better-auth-request.ts'
import { oauthClientPaths, toOAuthErrorResponse, toOAuthResponse } from './oauth-routes.ts'
import { rejectReplacedPassword } from './replaced-password.ts'
import { issuedSession, keepCookies, TOKEN_HEADER, unsigned } from './session-credential.ts'
import type { TrustsOrigin } from './trusted-origin.ts'

/** The minimum response time of email routes in ms: the response time must not reveal whether an account exists. */
const MAIL_RESPONSE_MS = 250

interface AuthHandlerOptions {
  readonly settings: AuthSettings
  readonly limits: AttemptLimits
  readonly trusts: TrustsOrigin
  start(): Promise<BetterAuth>
}

/** Creates the handler, which checks and throttles requests, calls Better Auth and converts its responses. */
export function createAuthHandler({ settings, limits, trusts, start }: AuthHandlerOptions): Auth['handler'] {
  const { secret } = settings
  const { throttle, limitHashes } = limits
  const read = createAuthCallReader(settings, trusts)
  const oauthPaths = oauthClientPaths(settings)

  async function handleCall(call: AuthCall): Promise<Response> {
    const library = await start()
    const { attempt: kind, address } = call
    if (kind === null) return callBetterAuth(library, call)
    const account = await findAccount(library, call)
    const settle = await throttle({ kind, address, account })
    try {
      const reset = await findResetAccounts(library, call)
      const given = await (kind === 'mail'
        ? callBetterAuth(library, call)
        : limitHashes(() => rejectReplacedPassword(library, call.path, () => callBetterAuth(library, call))))
      const hasSignedIn = given.ok && isSignInRoute(call.path) && given.headers.has('set-cookie')
      const signedIn = hasSignedIn && account !== null ? [account] : []
      await settle({ status: given.status, entered: given.ok ? [...signedIn, ...reset] : [] })
      return given
    } catch (error) {
      await settle({ status: 500, entered: [] })
      throw error
    }
  }

  async function callBetterAuth(library: BetterAuth, call: AuthCall): Promise<Response> {
    const cookieName = library.context.authCookies.sessionToken.name
    // Better Auth only reads the cookie, and would report success without ending this session.
    if (call.signOutSession !== null) await endSession(call.signOutSession, library)
    const betterAuthRequest = toBetterAuthRequest(call, settings, cookieName)
    const [given] = await Promise.all([
      library.handler(betterAuthRequest),
      call.attempt === 'mail' ? setTimeout(MAIL_RESPONSE_MS) : null,
    ])
    if (call.isOAuthClient) return toOAuthResponse(given)
    const issued = issuedSession(given, cookieName)
    const shown = readSignedCookie(betterAuthRequest.headers.get('cookie'), cookieName, secret)
    const tokens = new Set([unsigned(issued ?? ''), shown ?? ''])
    const response = await toAuthResponse(given, { tokens, body: call.members })
    if (call.path === '/get-session' || response.status === 401) keepCookies(response.headers)
    const isAskedFor = settings.bearer && call.request.headers.get(TOKEN_HEADER) === '1'
    // Only a new session's token is returned: otherwise, an injected script could read the existing cookie's token.
    if (isAskedFor && issued !== null && unsigned(issued) !== shown) response.headers.set(TOKEN_HEADER, issued)
    return response
  }

  return async (request, from = {}) => {
    try {
      return await orUnavailable(async () => handleCall(await read(asGet(request), from)))
    } catch (error) {
      if (!isApiError(error)) throw error
      const isOAuth = oauthPaths.has(new URL(request.url).pathname)
      return attachFailure(isOAuth ? toOAuthErrorResponse(error) : toErrorResponse(error), error)
    }
  }
}

/** The paths of links in emails and from other providers, which can be opened only once. */
const ONE_TIME_LINK = /\/(?:verify|callback)\b/

/** Converts `HEAD`, which Better Auth does not support, to `GET`. Throws for links that can be opened only once. */
function asGet(request: Request): Request {
  if (request.method !== 'HEAD') return request
  if (ONE_TIME_LINK.test(new URL(request.url).pathname))
    throw new ApiError('METHOD_NOT_ALLOWED', 'this link works only once: open it with GET, not HEAD', {
      headers: { allow: 'GET' },
    })
  return new Request(request, { method: 'GET' })
}
