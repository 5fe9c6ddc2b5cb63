import { ApiError } from '@sdk/protocol'
import type { Context, Reply, SessionHost, SessionMiddleware } from '@sdk/server'
import type { Auth } from './auth.ts'

/** What `createSessionMiddleware` takes beside the auth. */
export interface SessionOptions {
  /** Let callers pass who are not signed in, with `ctx.auth` null. @default false */
  optional?: boolean
}

/**
 * Tells the app who its callers are, and answers 401 where nobody is signed in. The auth routes themselves pass, in
 * whatever order both were mounted. Once installed, agents and sockets know their callers too.
 * @example router.use('/api/*', createSessionMiddleware(auth))
 */
export function createSessionMiddleware(auth: Auth, options: SessionOptions = {}): SessionMiddleware {
  const { optional = false } = options

  async function middleware(ctx: Context, next: () => Promise<Reply>): Promise<Reply> {
    const isAuthRoute = ctx.route.slice(ctx.route.indexOf(' ') + 1).startsWith(`${auth.basePath}/`)
    if (ctx.auth === null && !optional && !isAuthRoute) throw new ApiError('UNAUTHORIZED', 'Sign in to use this route')
    return next()
  }
  return Object.assign(middleware, {
    authenticate: (headers: Parameters<Auth['getSession']>[0]) => auth.getSession(headers),
    origins: auth.trustedOrigins,
    trusts: (origin: string, host: string | null) => auth.trusts(origin, host),
    join: (host: SessionHost) => auth.join(host),
  })
}
