import { createSessionClient, type SessionClient, type SessionClientOptions } from '@sdk/frontend'

/** Options for `createAuthClient`. */
export type AuthClientOptions = SessionClientOptions

/** A session of the user, one for each device or browser. */
export interface SessionEntry {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly expiresAt: string
  readonly ipAddress?: string | null
  readonly userAgent?: string | null
}

/** The browser client of the auth routes: an `AuthSource` with methods for account pages. */
export interface AuthClient extends SessionClient {
  /** Sends an email with a password reset link; resolves the same way if the account does not exist. */
  requestPasswordReset(options: { email: string; redirectTo?: string }): Promise<void>
  /** Sets a new password with the token of the link; ends every session of the user. */
  resetPassword(options: { newPassword: string; token: string }): Promise<void>
  /** Sends the verification email again. */
  sendVerificationEmail(options: { email: string; callbackURL?: string }): Promise<void>
  /** Changes the password of the signed-in user; ends their other sessions. */
  changePassword(options: { currentPassword: string; newPassword: string }): Promise<void>
  /** Lists the sessions of the signed-in user. */
  sessions(): Promise<SessionEntry[]>
  /** Ends one of the sessions; ending the session of this page signs the user out. */
  revokeSession(id: string): Promise<void>
}

/**
 * Creates the browser client of the auth routes: the signed-in user, the token for requests and sockets, sign-in and
 * sign-out. `<AuthProvider>` creates one by default. Create your own, and pass it as `source`, to share it with code
 * outside React.
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
