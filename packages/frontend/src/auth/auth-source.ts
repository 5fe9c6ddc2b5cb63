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
  /** Fields of your own: `userFields` of `createAuth`. */
  [extra: string]: unknown
}

/** The state of authentication. A new object after every change, the same one otherwise. */
export interface AuthSnapshot {
  /** True until the first response, and never again. */
  readonly loading: boolean
  /** Null if nobody is signed in. */
  readonly user: AuthUser | null
  /** The current access token; it may have expired, so requests call `token()` instead. */
  readonly token: string | null
  /** The last error; a network error keeps the user. */
  readonly error: ApiError | null
}

/** A store of user and token, with sign-in and sign-out. The client knows nothing else about authentication. */
export interface AuthSource {
  /** Returns the current state. */
  snapshot(): AuthSnapshot
  /** Adds a listener for changes; returns the function that removes it. The first subscriber starts the source. */
  subscribe(listener: () => void): () => void
  /** Resolves with a valid token, or null if nobody is signed in; waits for the first response. `force` gets a new one. */
  token(options?: { force?: boolean }): Promise<string | null>
  /** Signs in; rejects with the `ApiError` that the snapshot has too. */
  signIn(credentials: { email: string; password: string }): Promise<void>
  /** Creates an account and signs its user in. */
  signUp(account: { name: string; email: string; password: string }): Promise<void>
  /** Ends the session, in every tab. */
  signOut(): Promise<void>
  /** Stops timers and listeners for good. */
  close(): void
}
