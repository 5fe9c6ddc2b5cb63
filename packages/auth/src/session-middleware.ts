import { ApiError } from '@sdk/protocol'
import type { Context, Reply, SessionHost, SessionMiddleware } from '@sdk/server'
import type { Auth, AuthHeaders } from './auth.ts'
import { isBanned } from './session/visible-user.ts'

/** Options for `createSessionMiddleware`. */
export interface SessionOptions {
  /** Whether to allow requests without a session. Their `ctx.auth` is null. @default false */
  optional?: boolean
  /**
   * An additional `Authorization` scheme to accept, such as `Token`, for clients that you cannot change.
   * @default none
   */
  scheme?: string
}

/**
 * Creates the middleware that authenticates requests, including requests to agents and sockets. Requests without a
 * session get a 401 response. The auth routes are exempt, even if they are mounted after the middleware.
 * @example router.use('/api/*', createSessionMiddleware(auth))
 */
export function createSessionMiddleware(
  auth: Auth,
  { optional = false, scheme }: SessionOptions = {},
): SessionMiddleware {
  const toKnownHeaders = createSchemeReader(scheme)

  function middleware(ctx: Context, next: () => Promise<Reply>): Promise<Reply> {
    // The route is compared, not the path: only requests to the mounted auth routes may pass.
    if (ctx.route.endsWith(` ${auth.basePath}/*`)) return next()
    if (ctx.auth === null && !optional) throw new ApiError('UNAUTHORIZED', 'Sign in to use this route')
    // A socket handshake, whose route has no method, has no response that could set a cookie.
    if (ctx.auth === null || !ctx.route.includes(' ')) return next()
    const headers = toKnownHeaders({ get: (name) => ctx.header(name) })
    const renewal = auth.renew(ctx.auth, headers)
    return renewal === null ? next() : renewed(next(), renewal, headers)
  }

  /** Adds cookies to the reply if the session was renewed while the request was handled. */
  async function renewed(
    answer: Promise<Reply>,
    renewal: Promise<readonly string[]>,
    headers: AuthHeaders,
  ): Promise<Reply> {
    const reply = await answer
    const lines = await renewal
    // If the session has ended, its cookies must not replace those of a user who has signed in again.
    return lines.length > 0 && (await isSignedIn(headers)) ? withCookies(reply, lines) : reply
  }

  const isSignedIn = async (headers: AuthHeaders): Promise<boolean> =>
    (await auth.getSession(headers).catch(() => null)) !== null

  return Object.assign(middleware, {
    authenticate: (headers: AuthHeaders, path?: string) => auth.identify(toKnownHeaders(headers), path),
    isKnown: (headers: AuthHeaders) => auth.isKnown(toKnownHeaders(headers)),
    origins: auth.trustedOrigins,
    users: auth,
    trusts: (origin: string, host: string | null) => auth.trusts(origin, host),
    getActiveSessions: (sessionIds: readonly string[]) => auth.getActiveSessions(sessionIds),
    getUser: async (userId: string) => {
      const user = await auth.users.get(userId)
      return user === null || isBanned({ ...user }) ? null : user
    },
    challenge: (headers: AuthHeaders, path: string) => auth.challenge(headers, path),
    wellKnown: auth.wellKnown,
    openPaths: auth.openPaths,
    development: auth.development,
    join: (host: SessionHost) => auth.join(host),
  })
}

/** Creates a function that replaces the custom scheme in the `Authorization` header with `Bearer`. */
function createSchemeReader(scheme: string | undefined): (headers: AuthHeaders) => AuthHeaders {
  if (scheme === undefined) return (headers) => headers
  if (!/^[\w-]+$/.test(scheme))
    throw new TypeError(`scheme must be a name such as Token, got ${JSON.stringify(scheme)}`)
  const start = new RegExp(`^\\s*${scheme} +`, 'i')
  return (headers) => ({
    get(name) {
      const value = headers.get(name)
      return name.toLowerCase() === 'authorization' ? (value?.replace(start, 'Bearer ') ?? null) : value
    },
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
