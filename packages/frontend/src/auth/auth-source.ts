import type { ApiError } from '@sdk/protocol'

/** A signed-in user, as the auth routes tell it. */
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

/** Who is signed in, at one moment. A new object whenever something changed, the same one otherwise. */
export interface AuthSnapshot {
  /** True until the first answer, and never again. */
  readonly loading: boolean
  /** Null where nobody is signed in. */
  readonly user: AuthUser | null
  /** The access token in hand; it may have expired, so requests ask `token()` instead. */
  readonly token: string | null
  /** What went wrong last; a network error keeps the user. */
  readonly error: ApiError | null
}

/** The one thing the client knows about authentication: a store of user and token, with the ways in and out. */
export interface AuthSource {
  /** Who is signed in now. */
  snapshot(): AuthSnapshot
  /** Called after every change; returns the way to stop. The first subscriber starts the source. */
  subscribe(listener: () => void): () => void
  /** A token that is valid now, or null where nobody is signed in; waits for the first answer. `force` gets a new one. */
  token(options?: { force?: boolean }): Promise<string | null>
  /** Signs in; rejects with the `ApiError` that the snapshot has too. */
  signIn(credentials: { email: string; password: string }): Promise<void>
  /** Makes an account and signs its user in. */
  signUp(account: { name: string; email: string; password: string }): Promise<void>
  /** Ends the session, in every tab. */
  signOut(): Promise<void>
  /** Stops timers and listeners for good. */
  close(): void
}
