import type { ApiError } from '@sdk/protocol'

/** A signed-in user, as the auth routes return it. */
export interface AuthUser {
  id: string
  name: string
  email: string
  emailVerified: boolean
  image: string | null
  createdAt: string
  updatedAt: string
  /** Additional fields: `userFields` of `createAuth`. */
  [extra: string]: unknown
}

/** The authentication state. Every change creates a new object. */
export interface AuthSnapshot {
  /** True until the first response; never true again after that. */
  readonly loading: boolean
  /** Null if no user is signed in. */
  readonly user: AuthUser | null
  /** The current access token. It may have expired, so requests call `token()` instead. */
  readonly token: string | null
  /** The last error; a network error keeps the user. */
  readonly error: ApiError | null
}

/** A store of the user and the token, with sign-in and sign-out: all that the client needs for authentication. */
export interface AuthSource {
  /** Returns the current state. */
  snapshot(): AuthSnapshot
  /** Adds a listener for changes; returns a function that removes it. The first listener starts the source. */
  subscribe(listener: () => void): () => void
  /** Resolves with a valid token, or null if signed out; waits for the first response. `force` gets a new one. */
  token(options?: { force?: boolean }): Promise<string | null>
  /** Signs in; rejects with the `ApiError` that the snapshot also contains. */
  signIn(credentials: { email: string; password: string }): Promise<void>
  /** Creates an account and signs its user in. */
  signUp(account: { name: string; email: string; password: string }): Promise<void>
  /** Ends the session, in every tab. */
  signOut(): Promise<void>
  /** Stops timers and listeners permanently. */
  close(): void
}
