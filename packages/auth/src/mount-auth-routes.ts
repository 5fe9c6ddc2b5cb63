import type { Context } from '@sdk/server'
import type { Auth } from './auth.ts'

/**
 * The handler of the auth routes: sign-up, sign-in, sign-out, session, access token, and those of plugins.
 * @example router.on('GET|POST /api/auth/*', mountAuthRoutes(auth))
 */
export function mountAuthRoutes(auth: Auth): AuthRoutes {
  return Object.assign((ctx: Pick<Context, 'request'>) => auth.handler(ctx.request), { rateLimit: 'auth' as const })
}

/** The handler, with the word that requests to it are attempts to sign in. */
export interface AuthRoutes {
  (ctx: Pick<Context, 'request'>): Promise<Response>
  readonly rateLimit: 'auth'
}
