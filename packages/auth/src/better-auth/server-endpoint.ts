import { createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import type { BetterAuth } from './better-auth.ts'

type EndpointContext = Parameters<typeof setSessionCookie>[0]

/**
 * Runs `work` in a Better Auth endpoint that no route exposes. Outside an endpoint, plugins skip some of their checks,
 * such as whether the user is banned.
 */
export async function runInEndpoint<T>(
  { context }: BetterAuth,
  work: (ctx: EndpointContext) => Promise<T>,
): Promise<T> {
  const endpoint = createAuthEndpoint.serverOnly({ method: 'POST' }, (ctx) => work(ctx))
  // The context is copied, since an endpoint stores a new session in it.
  return (await endpoint({ context: { ...context } } as never)) as T
}

/** Returns the `Set-Cookie` headers for a session. */
export async function createSessionCookies(
  library: BetterAuth,
  session: Parameters<typeof setSessionCookie>[1],
): Promise<string[]> {
  return runInEndpoint(library, async (ctx) => {
    await setSessionCookie(ctx, session)
    return ctx.responseHeaders.getSetCookie()
  })
}
