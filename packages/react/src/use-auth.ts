import { toAuthorization, type ApiError } from '@sdk/protocol'
import { useContext, useMemo } from 'react'
import type { AuthSnapshot, AuthSource, AuthUser } from '@sdk/frontend'
import { AuthContext, SdkContext, useSource } from './sdk-context.ts'

/** The result of `useAuth`. */
export interface AuthResult {
  /** Somebody is signed in. */
  isAuthenticated: boolean
  /** True until it is known who is signed in; never again after that. */
  authLoading: boolean
  /** `Bearer …`, the value of an `Authorization` header; null where nobody is signed in. */
  authHeader: string | null
  /** Who is signed in; null where nobody is. */
  user: AuthUser | null
  /** What went wrong last; gone at the next try. */
  error: ApiError | null
  /** Rejects with the error that is also shown; the promise may be left alone. */
  signIn: AuthSource['signIn']
  /** Makes an account and signs its user in; rejects like `signIn`. */
  signUp: AuthSource['signUp']
  /** Ends the session; of other tabs too. */
  signOut: AuthSource['signOut']
}

const LOADING: AuthSnapshot = { loading: true, user: null, token: null, error: null }
// Written out: bundlers cannot drop an unused object that was made by spreading.
const SIGNED_OUT: AuthSnapshot = { loading: false, user: null, token: null, error: null }

/**
 * Returns the signed-in user, and the functions to sign in and out. Without an `AuthProvider` nobody is signed in.
 * @example const { user, signIn, signOut } = useAuth()
 */
export function useAuth(): AuthResult {
  // A client that was given to `SdkProvider` may have a source of its own.
  const client = useContext(SdkContext)?.client
  const source = useContext(AuthContext)?.source ?? client?.options.auth ?? null
  const read = (): AuthSnapshot => source?.snapshot() ?? SIGNED_OUT
  const { loading, user, token, error } = useSource(source, read, source ? LOADING : SIGNED_OUT)
  const actions = useMemo(() => toAuthActions(source), [source])
  return {
    isAuthenticated: !loading && user !== null,
    authLoading: loading,
    authHeader: token === null ? null : toAuthorization(token),
    user,
    error,
    ...actions,
  }
}

function toAuthActions(source: AuthSource | null): Pick<AuthResult, 'signIn' | 'signUp' | 'signOut'> {
  const run = (action: (auth: AuthSource) => Promise<void>): Promise<void> => {
    if (source === null) return Promise.reject(new TypeError('there is no <AuthProvider> above this component'))
    const promise = action(source)
    promise.catch(() => {}) // the state has the error
    return promise
  }
  return {
    signIn: (credentials) => run((auth) => auth.signIn(credentials)),
    signUp: (account) => run((auth) => auth.signUp(account)),
    signOut: () => run((auth) => auth.signOut()),
  }
}
