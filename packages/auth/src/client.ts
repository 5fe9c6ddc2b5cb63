import { createSessionClient, type SessionClient, type SessionClientOptions } from '@sdk/frontend'

/** Options of `createAuthClient`. */
export type AuthClientOptions = SessionClientOptions

/** A session of the user, one for each place where they are signed in. */
export interface SessionEntry {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly expiresAt: string
  readonly ipAddress?: string | null
  readonly userAgent?: string | null
}

/** The browser's side of the auth routes; an `AuthSource`, with what a page about one's account needs. */
export interface AuthClient extends SessionClient {
  /** Sends a mail with a link to choose a new password; answers alike whether there is such an account. */
  requestPasswordReset(options: { email: string; redirectTo?: string }): Promise<void>
  /** Sets the password that was chosen, by the token of the link; every session of the user ends. */
  resetPassword(options: { newPassword: string; token: string }): Promise<void>
  /** Sends the mail again whose link verifies an address. */
  sendVerificationEmail(options: { email: string; callbackURL?: string }): Promise<void>
  /** Changes the password of who is signed in; their other sessions end. */
  changePassword(options: { currentPassword: string; newPassword: string }): Promise<void>
  /** All sessions of who is signed in. */
  sessions(): Promise<SessionEntry[]>
  /** Ends one of them; where it is the one of this page, nobody is signed in after it. */
  revokeSession(id: string): Promise<void>
}

/**
 * The browser's side of the auth routes: who is signed in, the token for calls and sockets, and the ways in and out.
 * `<AuthProvider>` makes one by itself; make your own to share it with code outside of React, as its `source`.
 * @example const auth = createAuthClient(); await auth.signIn({ email, password })
 */
export function createAuthClient(options: AuthClientOptions = {}): AuthClient {
  const client = createSessionClient(options)
  return Object.assign(client, {
    requestPasswordReset: async (body: object) => void (await client.request('POST /request-password-reset', body)),
    sendVerificationEmail: async (body: object) => void (await client.request('POST /send-verification-email', body)),
    resetPassword: (body: object) => client.change('POST /reset-password', body),
    changePassword: (body: object) => client.change('POST /change-password', body),
    sessions: async () => (await client.request('GET /list-sessions')) as SessionEntry[],
    revokeSession: (id: string) => client.change('POST /revoke-session', { id }),
  })
}
