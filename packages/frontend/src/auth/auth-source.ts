import type { ApiError, Routes } from '@sdk/protocol'

/** A signed-in user, as the auth routes return it. */
export interface AuthUser {
  id: string
  name: string
  email: string
  emailVerified: boolean
  image: string | null
  createdAt: string
  updatedAt: string
  /** Additional fields, as declared by `userFields` in `createAuth`. */
  [extra: string]: unknown
}

/**
 * The fields of a new account. If the registered routes include the auth routes at `/api/auth`, the type contains the
 * `userFields` that users can set.
 */
export type SignUpAccount = Routes extends {
  readonly 'POST /api/auth/*': { readonly '~io': { readonly input: infer Input } }
}
  ? NonNullable<Input> extends { readonly '~signUp'?: infer Account }
    ? unknown extends Account
      ? AnyAccount
      : NonNullable<Account>
    : AnyAccount
  : AnyAccount

interface AnyAccount {
  readonly name: string
  readonly email: string
  readonly password: string
  /** Additional fields, as declared by `userFields` in `createAuth`. */
  readonly [extra: string]: unknown
}

/** The authentication state. Every change creates a new object. */
export interface AuthSnapshot {
  /** Whether the first response is pending. Once false, it never becomes true again. */
  readonly loading: boolean
  /** The signed-in user, or null if no user is signed in. */
  readonly user: AuthUser | null
  /** The current access token. It may have expired, so requests call `token()` instead. */
  readonly token: string | null
  /** The last error. A network error does not sign the user out. */
  readonly error: ApiError | null
}

/**
 * A store for the user and the token, with functions to sign in and out. It provides everything that a client needs for
 * authentication.
 */
export interface AuthSource {
  /** Returns the current state. */
  snapshot(): AuthSnapshot
  /** Adds a listener for changes and returns a function that removes it. The first listener starts the source. */
  subscribe(listener: () => void): () => void
  /**
   * Waits for the first session response, then resolves with a valid token, or with null if no user is signed in.
   * `force` requests a new token.
   */
  token(options?: { force?: boolean }): Promise<string | null>
  /** Signs the user in. Rejects with the `ApiError` that the snapshot also contains. */
  signIn(credentials: { email: string; password: string }): Promise<void>
  /** Creates an account and signs the user in. */
  signUp(account: SignUpAccount): Promise<void>
  /** Ends the session in every tab. */
  signOut(): Promise<void>
  /** Stops timers and listeners permanently. */
  close(): void
}
