import type { Context } from '@sdk/server'
import type { Auth } from './create-auth.ts'

/**
 * The handler of the auth routes: sign-up, sign-in, sign-out, session, access token, and those of plugins.
 * @example router.on('GET|POST /api/auth/*', mountAuthRoutes(auth))
 */
export function mountAuthRoutes(auth: Auth): (ctx: Pick<Context, 'request'>) => Promise<Response> {
  return (ctx) => auth.handler(ctx.request)
}
