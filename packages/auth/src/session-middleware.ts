import { ApiError } from '@sdk/protocol'
import type { Context, Reply, SessionHost, SessionMiddleware } from '@sdk/server'
import type { Auth, AuthHeaders } from './auth.ts'

/** Options for `createSessionMiddleware`. */
export interface SessionOptions {
  /** Whether to allow requests without a session, with `ctx.auth` null. @default false */
  optional?: boolean
}

/**
 * Creates the middleware that authenticates requests; it responds with 401 to requests without a session. The auth
 * routes themselves pass, in any order of mounting. Agents and sockets are authenticated too.
 * @example router.use('/api/*', createSessionMiddleware(auth))
 */
export function createSessionMiddleware(auth: Auth, { optional = false }: SessionOptions = {}): SessionMiddleware {
  function middleware(ctx: Context, next: () => Promise<Reply>): Promise<Reply> {
    // Compares the route, not the path: only a request to the mounted auth routes may pass.
    if (ctx.route.endsWith(` ${auth.basePath}/*`)) return next()
    if (ctx.auth === null && !optional) throw new ApiError('UNAUTHORIZED', 'Sign in to use this route')
    // A socket handshake, whose route is only a path, has no response that could set a cookie.
    if (ctx.auth === null || !ctx.route.includes(' ')) return next()
    const headers = { get: (name: string) => ctx.header(name) }
    const renewal = auth.renew(ctx.auth, headers)
    return renewal === null ? next() : renewed(next(), renewal, headers)
  }

  /** Adds the cookies of a session that was renewed concurrently to the reply. */
  async function renewed(
    answer: Promise<Reply>,
    renewal: Promise<readonly string[]>,
    headers: AuthHeaders,
  ): Promise<Reply> {
    const reply = await answer
    const lines = await renewal
    // Only if the session still exists: a user who signed out and in again meanwhile would lose the new cookie.
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
  // A shared cache would send the cookie to other users.
  if (/\b(?:public|s-maxage)\b/i.test(String(headers['cache-control'] ?? ''))) return reply
  const there = headers['set-cookie'] ?? []
  headers['set-cookie'] = [...new Set([...(Array.isArray(there) ? there : [there]), ...lines])]
  return reply
}
