import type { Context } from '@sdk/server'
import type { Auth } from './auth.ts'
import { attemptAt } from './routes/attempt.ts'
import type { NoUserFields, UserFields } from './user-fields.ts'
import type { SignUpInput } from './users/auth-users.ts'

/**
 * Creates the handler for the auth routes: sign-up, sign-in, sign-out, session, access token and plugin routes.
 * @example router.on('GET|POST /api/auth/*', mountAuthRoutes(auth))
 */
export function mountAuthRoutes<Fields extends UserFields = NoUserFields>(
  auth: Auth<Fields>,
): AuthRouteHandler<SignUpInput<Fields>> {
  const handler = (ctx: AuthRouteContext): Promise<Response> => auth.handler(ctx.request, { address: ctx.address })
  const isAttempt = (path: string): boolean => attemptAt('POST', path.slice(auth.basePath.length)) !== null
  return Object.assign(handler, { rateLimit: 'auth' as const, isAttempt })
}

/** The part of the context that the auth routes need. */
export type AuthRouteContext = Pick<Context, 'request' | 'address'>

/** The handler for the auth routes. Requests that are not sign-in attempts are rate-limited like any other request. */
export interface AuthRouteHandler<SignUp = SignUpInput> {
  (ctx: AuthRouteContext, input?: AuthRouteInput<SignUp>): Promise<Response>
  readonly rateLimit: 'auth'
  isAttempt(path: string): boolean
}

/** The input type, which provides the sign-up fields to the client. The handler reads the request body itself. */
export interface AuthRouteInput<SignUp> {
  readonly '~signUp'?: SignUp
}
