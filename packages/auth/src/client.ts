import { createSessionClient, type AuthSource, type SessionClientOptions } from '@sdk/frontend'

/** Options of `createAuthClient`. */
export type AuthClientOptions = SessionClientOptions

/**
 * The browser's side of the auth routes: who is signed in, the token for calls and sockets, and the ways in and out.
 * `<AuthProvider>` makes one by itself; make your own to share it with code outside of React.
 * @example const auth = createAuthClient(); await auth.signIn({ email, password })
 */
export function createAuthClient(options: AuthClientOptions = {}): AuthSource {
  return createSessionClient(options)
}
