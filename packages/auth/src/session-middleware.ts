import { ApiError } from '@sdk/protocol'
import type { Context, Reply, RequestAuth, SessionMiddleware } from '@sdk/server'
import type { Auth, AuthHeaders } from './create-auth.ts'

/** What `createSessionMiddleware` takes beside the auth. */
export interface SessionOptions {
  /** Let callers pass who are not signed in, with `ctx.auth` null. @default false */
  optional?: boolean
}

/**
 * Fills `ctx.auth`, and answers 401 where nobody is signed in. The auth routes themselves pass, in whatever order
 * both were mounted. Once installed, agents and sockets know their callers too; there a cookie that a foreign page sent
 * counts for nobody, and on guarded routes it is 403 for all that changes something.
 * @example router.use('/api/*', createSessionMiddleware(auth))
 */
export function createSessionMiddleware(auth: Auth, options: SessionOptions = {}): SessionMiddleware {
  const { optional = false } = options

  async function authenticate(headers: AuthHeaders): Promise<RequestAuth | null> {
    const caller = await auth.getSession(headers)
    return isForgeable(caller, headers, auth) ? null : caller
  }

  async function middleware(ctx: Context, next: () => Promise<Reply>): Promise<Reply> {
    const { method, path } = splitRoute(ctx.route)
    if (path.startsWith(`${auth.basePath}/`)) return next()
    const headers: AuthHeaders = { get: (name) => ctx.header(name) }
    ctx.auth = await auth.getSession(headers)
    if (ctx.auth === null && !optional) throw new ApiError('UNAUTHORIZED', 'Sign in to use this route')
    if (!SAFE_METHODS.has(method) && isForgeable(ctx.auth, headers, auth))
      throw new ApiError('FORBIDDEN', 'This page may not act for the signed-in user')
    return next()
  }
  return Object.assign(middleware, { authenticate })
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

function splitRoute(route: string): { method: string; path: string } {
  const space = route.indexOf(' ')
  return { method: route.slice(0, space), path: route.slice(space + 1) }
}

/** A browser sends the cookie along with whatever a foreign page makes it send; a bearer token that page does not have. */
function isForgeable(caller: RequestAuth | null, headers: AuthHeaders, auth: Auth): boolean {
  if (caller?.via !== 'cookie') return false
  const origin = headers.get('origin')
  return origin === null ? headers.get('sec-fetch-site') === 'cross-site' : !auth.trusts(origin, headers.get('host'))
}
