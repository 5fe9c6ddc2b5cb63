import { toAuthorization, type ApiError } from '@sdk/protocol'
import { useContext, useMemo } from 'react'
import type { AuthSnapshot, AuthSource, AuthUser, HttpClient } from '@sdk/frontend'
import { AuthContext, SdkContext, useSource, type OfflineClient } from './sdk-context.ts'

/** The result of `useAuth`. */
export interface AuthResult {
  /** Whether a user is signed in. */
  isAuthenticated: boolean
  /** Whether the first session check is pending. Once false, it never becomes true again. */
  authLoading: boolean
  /** The value for an `Authorization` header, such as `Bearer …`, or null if no user is signed in. */
  authHeader: string | null
  /** The signed-in user, or null if no user is signed in. */
  user: AuthUser | null
  /** The last error. The next attempt clears it. */
  error: ApiError | null
  /**
   * Signs the user in. The promise rejects if this fails, but does not need an error handler, because `error` also
   * contains the error.
   */
  signIn: AuthSource['signIn']
  /** Creates an account and signs the user in. Rejects like `signIn`. */
  signUp: AuthSource['signUp']
  /**
   * Ends the session in all tabs. Rejects with `OUTBOX_NOT_EMPTY` if mutations with `offline: true` wait to be sent,
   * unless `discard` is true.
   */
  signOut: (options?: { discard?: boolean }) => Promise<void>
}

const LOADING: AuthSnapshot = { loading: true, user: null, token: null, error: null }
// Does not use a spread, because bundlers cannot remove an unused object that contains one.
const SIGNED_OUT: AuthSnapshot = { loading: false, user: null, token: null, error: null }

/**
 * Returns the signed-in user and the functions to sign in and out. Without an `AuthProvider`, no user is signed in.
 * @example const { user, signIn, signOut } = useAuth()
 */
export function useAuth(): AuthResult {
  // A client that was passed to `SdkProvider` may have its own auth source.
  const client = useContext(SdkContext)?.client
  const source = useContext(AuthContext)?.source ?? client?.options.auth ?? null
  const read = (): AuthSnapshot => source?.snapshot() ?? SIGNED_OUT
  const { loading, user, token, error } = useSource(source, read, source ? LOADING : SIGNED_OUT)
  const actions = useMemo(() => toAuthActions(source, client), [source, client])
  return {
    isAuthenticated: !loading && user !== null,
    authLoading: loading,
    authHeader: token === null ? null : toAuthorization(token),
    user,
    error,
    ...actions,
  }
}

function toAuthActions(
  source: AuthSource | null,
  client: HttpClient | undefined,
): Pick<AuthResult, 'signIn' | 'signUp' | 'signOut'> {
  const run = (action: (auth: AuthSource) => Promise<void>): Promise<void> => {
    if (source === null) return Promise.reject(new TypeError('useAuth must be used within <AuthProvider>'))
    const promise = action(source)
    promise.catch(() => {}) // the state contains the error
    return promise
  }
  return {
    signIn: (credentials) => run((auth) => auth.signIn(credentials)),
    signUp: (account) => run((auth) => auth.signUp(account)),
    signOut: (options) =>
      run(async (auth) => {
        await (client as OfflineClient | undefined)?.leave?.(options)
        await auth.signOut()
      }),
  }
}
