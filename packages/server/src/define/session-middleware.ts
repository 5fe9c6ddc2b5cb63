import type { SessionProvider } from '../auth/session-provider.ts'
import type { Middleware } from './middleware.ts'

/** A middleware that authenticates requests. The app calls `authenticate` once per request, before all middleware. */
export interface SessionMiddleware extends Middleware, SessionProvider {}

/** Returns the first session middleware, or null if there is none. Throws if two use different auth instances. */
export function findSessionProvider(middleware: readonly Middleware[]): SessionProvider | null {
  const [first = null, ...others] = middleware.filter((one): one is SessionMiddleware => 'authenticate' in one)
  // A request has only one `ctx.auth`, so users of the first instance would pass the second instance's guards.
  if (first !== null && others.some((one) => (one.users ?? one) !== (first.users ?? first)))
    throw new TypeError(
      'an app can use only one auth instance, but this app has session middleware from two: create two apps',
    )
  return first
}
