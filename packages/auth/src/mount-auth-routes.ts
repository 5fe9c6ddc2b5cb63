import type { Context } from '@sdk/server'
import type { Auth } from './auth.ts'
import { attemptAt } from './routes/attempt.ts'

/**
 * The handler of the auth routes: sign-up, sign-in, sign-out, session, access token, and those of plugins.
 * @example router.on('GET|POST /api/auth/*', mountAuthRoutes(auth))
 */
export function mountAuthRoutes(auth: Auth): AuthRouteHandler {
  const handler = (ctx: AuthRouteContext): Promise<Response> => auth.handler(ctx.request, { address: ctx.address })
  const isAttempt = (path: string): boolean => attemptAt('POST', path.slice(auth.basePath.length)) !== null
  return Object.assign(handler, { rateLimit: 'auth' as const, isAttempt })
}

/** What the auth routes need of a call. */
export type AuthRouteContext = Pick<Context, 'request' | 'address'>

/** The handler, with the word which requests to it are attempts to sign in: others count as those of any route. */
export interface AuthRouteHandler {
  (ctx: AuthRouteContext): Promise<Response>
  readonly rateLimit: 'auth'
  isAttempt(path: string): boolean
}
