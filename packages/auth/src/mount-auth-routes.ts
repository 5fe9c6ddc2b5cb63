import type { Context } from '@sdk/server'
import type { Auth } from './auth.ts'

/**
 * The handler of the auth routes: sign-up, sign-in, sign-out, session, access token, and those of plugins.
 * @example router.on('GET|POST /api/auth/*', mountAuthRoutes(auth))
 */
export function mountAuthRoutes(auth: Auth): AuthRoutes {
  const handler = (ctx: AuthRouteContext): Promise<Response> => auth.handler(ctx.request, { address: ctx.address })
  return Object.assign(handler, { rateLimit: 'auth' as const })
}

/** What the auth routes need of a call. */
export type AuthRouteContext = Pick<Context, 'request' | 'address'>

/** The handler, with the word that requests to it are attempts to sign in. */
export interface AuthRoutes {
  (ctx: AuthRouteContext): Promise<Response>
  readonly rateLimit: 'auth'
}
