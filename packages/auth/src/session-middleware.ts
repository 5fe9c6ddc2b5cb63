import { ApiError } from '@sdk/protocol'
import type { Context, Reply, SessionHost, SessionMiddleware } from '@sdk/server'
import type { Auth, AuthHeaders } from './auth.ts'

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
export function createSessionMiddleware(auth: Auth, { optional = false }: SessionOptions = {}): SessionMiddleware {
  function middleware(ctx: Context, next: () => Promise<Reply>): Promise<Reply> {
    // By the route and not by the path: what was not mounted as the auth routes is never taken for one.
    if (ctx.route.endsWith(` ${auth.basePath}/*`)) return next()
    if (ctx.auth === null && !optional) throw new ApiError('UNAUTHORIZED', 'Sign in to use this route')
    // The handshake of a socket, whose route is a path alone, has no answer to put a cookie on.
    if (ctx.auth === null || !ctx.route.includes(' ')) return next()
    const headers = { get: (name: string) => ctx.header(name) }
    const renewal = auth.renew(ctx.auth, headers)
    return renewal === null ? next() : renewed(next(), renewal, headers)
  }

  /** The answer, with the cookies of a session that was renewed beside it. */
  async function renewed(
    answer: Promise<Reply>,
    renewal: Promise<readonly string[]>,
    headers: AuthHeaders,
  ): Promise<Reply> {
    const reply = await answer
    const lines = await renewal
    // Only if the session is still there: a user who signed out and in again meanwhile would lose the new cookie.
    return lines.length > 0 && (await isSignedIn(headers)) ? withCookies(reply, lines) : reply
  }

  const isSignedIn = async (headers: AuthHeaders): Promise<boolean> =>
    (await auth.getSession(headers).catch(() => null)) !== null

  return Object.assign(middleware, {
    authenticate: (headers: AuthHeaders) => auth.identify(headers),
    isKnown: (headers: AuthHeaders) => auth.isKnown(headers),
    origins: auth.trustedOrigins,
    users: auth,
    trusts: (origin: string, host: string | null) => auth.trusts(origin, host),
    getActiveSessions: (sessionIds: readonly string[]) => auth.getActiveSessions(sessionIds),
    development: auth.development,
    join: (host: SessionHost) => auth.join(host),
  })
}

function withCookies(reply: Reply, lines: readonly string[]): Reply {
  const { headers } = reply
  // A cache that many share would give the cookie to all of them.
  if (/\b(?:public|s-maxage)\b/i.test(String(headers['cache-control'] ?? ''))) return reply
  const there = headers['set-cookie'] ?? []
  headers['set-cookie'] = [...new Set([...(Array.isArray(there) ? there : [there]), ...lines])]
  return reply
}
