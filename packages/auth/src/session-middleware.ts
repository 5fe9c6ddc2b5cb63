import { ApiError } from '@sdk/protocol'
import type { Context, Reply, SessionMiddleware } from '@sdk/server'
import type { Auth } from './create-auth.ts'

/** What `createSessionMiddleware` takes beside the auth. */
export interface SessionOptions {
  /** Let callers pass who are not signed in, with `ctx.auth` null. @default false */
  optional?: boolean
}

/**
 * Fills `ctx.auth`, and answers 401 where nobody is signed in. The auth routes themselves pass, in whatever order
 * both were mounted. Once installed, agents and sockets know their callers too.
 * @example router.use('/api/*', createSessionMiddleware(auth))
 */
export function createSessionMiddleware(auth: Auth, options: SessionOptions = {}): SessionMiddleware {
  const { optional = false } = options
  const authenticate: SessionMiddleware['authenticate'] = (headers) => auth.getSession(headers)

  async function middleware(ctx: Context, next: () => Promise<Reply>): Promise<Reply> {
    const { method, path } = splitRoute(ctx.route)
    if (path.startsWith(`${auth.basePath}/`)) return next()
    ctx.auth = await authenticate({ get: (name) => ctx.header(name) })
    if (ctx.auth === null && !optional) throw new ApiError('UNAUTHORIZED', 'Sign in to use this route')
    if (ctx.auth?.via === 'cookie' && !SAFE_METHODS.has(method)) assertOwnPage(ctx, auth)
    return next()
  }
  return Object.assign(middleware, { authenticate })
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

function splitRoute(route: string): { method: string; path: string } {
  const space = route.indexOf(' ')
  return { method: route.slice(0, space), path: route.slice(space + 1) }
}

/** A browser sends the cookie along with whatever a foreign page makes it send; a bearer token it does not have. */
function assertOwnPage(ctx: Context, auth: Auth): void {
  const origin = ctx.header('origin')
  const isForeign =
    origin === null ? ctx.header('sec-fetch-site') === 'cross-site' : !auth.trusts(origin, ctx.header('host'))
  if (isForeign) throw new ApiError('FORBIDDEN', 'This page may not act for the signed-in user')
}
