/** Who is signed in. */
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

/** The caller's identity: what sits in `ctx.auth` and `peer.auth`. */
export interface RequestAuth {
  /** Who it is. */
  getUser(): Promise<User>
  /** By which sign-in. */
  readonly session: { readonly id: string; readonly userId: string; readonly expiresAt: string }
  /** How the caller proved it. */
  readonly via: 'cookie' | 'bearer'
}
