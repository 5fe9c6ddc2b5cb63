import type { App, ServerRequest, Reply, RequestAuth, Router, SessionProvider, User } from '@sdk/server'
import { isSamePass } from '../dev/dev-server-info.ts'
import { createErrorReply } from './error-reply.ts'

/** The headers that `sdk run --as` sends: the user to act as, and the secret that allows it. */
export const AS_HEADER = 'x-sdk-as'
export const PASS_HEADER = 'x-sdk-pass'

/**
 * Allows calls to act as a user if they send the secret, which only the owner of the dev server can read. Without a
 * session provider, a fake user is created. This is for development only: a built server does not support it.
 */
export function allowImpersonation(
  app: App,
  { pass, session }: { pass: string; session: SessionProvider | null },
): App {
  return {
    ...app,
    handle(call) {
      const email = call.header(AS_HEADER)
      return email === null ? app.handle(call) : handleAs(email, call)
    },
  }

  async function handleAs(email: string, call: ServerRequest): Promise<Reply> {
    if (!isSamePass(call.header(PASS_HEADER) ?? '', pass))
      return createErrorReply(
        403,
        'FORBIDDEN',
        `${AS_HEADER} requires this dev server's secret: use sdk run, which sends it`,
      )
    try {
      const auth = session === null ? toUserAuth(createDevelopmentUser(email)) : await openUserSession(session, email)
      if (auth !== null) return await app.handle(Object.assign(call, { auth }))
      return createErrorReply(404, 'UNKNOWN_USER', `user ${email} not found: sign up in the app first`)
    } catch (error) {
      return createErrorReply(503, 'SERVICE_UNAVAILABLE', `could not look up the user: ${String(error)}`)
    }
  }
}

/** Returns the session provider of a router's session middleware, or null if the router has none. */
export function findSessionProvider(router: Router | null): SessionProvider | null {
  const all = router?.entries.flatMap((entry) => (entry.kind === 'middleware' ? [entry.middleware] : [])) ?? []
  return all.find((one): one is typeof one & SessionProvider => 'authenticate' in one) ?? null
}

/** Opens a session for a user and returns the session's `RequestAuth`, or null if the user does not exist. */
async function openUserSession(
  { authenticate, development }: SessionProvider,
  email: string,
): Promise<RequestAuth | null> {
  const user = await development?.findUser(email)
  const opened = user ? await development?.openSession(user.id) : null
  if (!opened) return null
  return authenticate({ get: (name) => (name === 'authorization' ? `Bearer ${opened.token}` : null) })
}

function createDevelopmentUser(email: string): User {
  const long = '2000-01-01T00:00:00.000Z'
  const name = email.split('@', 1)[0] ?? email
  return { id: name, name, email, emailVerified: true, image: null, createdAt: long, updatedAt: long }
}

function toUserAuth(user: User): RequestAuth {
  return {
    getUser: () => Promise.resolve(user),
    session: { id: `sdk-run-as-${user.id}`, userId: user.id, expiresAt: '9999-12-31T23:59:59.999Z' },
    via: 'bearer',
  }
}
