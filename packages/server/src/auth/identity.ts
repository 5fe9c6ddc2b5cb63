/** A user. */
export interface User {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly [extra: string]: unknown
}

/** The identity of a caller, available as `ctx.auth` and `peer.auth`. */
export interface RequestAuth {
  /** Returns the user. */
  getUser(): Promise<User>
  /** The caller's session. */
  readonly session: { readonly id: string; readonly userId: string; readonly expiresAt: string }
  /**
   * The type of credentials that the caller sent: the session cookie, an access token of the session, or the access
   * token of an OAuth client. In the handler of a durable agent, it is `run`.
   */
  readonly via: 'cookie' | 'bearer' | 'oauth' | 'run'
  /** The scopes that the user granted to the OAuth client, if `via` is `oauth`. */
  readonly scopes?: readonly string[]
}
