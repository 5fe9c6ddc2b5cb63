import type { SessionProvider } from '../auth/session-provider.ts'
import type { Middleware } from './middleware.ts'

/** A middleware that tells the app how to know its callers. The app asks before any middleware runs, once a call. */
export interface SessionMiddleware extends Middleware, SessionProvider {}

/** The first session middleware among these; null where there is none. */
export function findSessionProvider(middleware: readonly Middleware[]): SessionProvider | null {
  const [first = null, ...others] = middleware.filter((one): one is SessionMiddleware => 'authenticate' in one)
  // A call has one `ctx.auth`: the users of the first would pass the guards of the second.
  if (first !== null && others.some((one) => (one.users ?? one) !== (first.users ?? first)))
    throw new TypeError(
      'createApp knows its users by one auth, and got session middleware of two: make an app for each',
    )
  return first
}
