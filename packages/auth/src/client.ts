import { createSessionClient, type SessionClient, type SessionClientOptions } from '@sdk/frontend'

/** Options for `createAuthClient`. */
export type AuthClientOptions = SessionClientOptions

/** One of the user's sessions. Each device or browser has its own session. */
export interface SessionEntry {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly expiresAt: string
  readonly ipAddress?: string | null
  readonly userAgent?: string | null
}

/** A browser client for the auth routes: an `AuthSource` with additional methods for account pages. */
export interface AuthClient extends SessionClient {
  /** Sends an email with a password reset link. The promise resolves even if the account does not exist. */
  requestPasswordReset(options: { email: string; redirectTo?: string }): Promise<void>
  /** Sets a new password with the token from the link, and ends all of the user's sessions. */
  resetPassword(options: { newPassword: string; token: string }): Promise<void>
  /** Sends the verification email again. */
  sendVerificationEmail(options: { email: string; callbackURL?: string }): Promise<void>
  /** Changes the signed-in user's password and ends their other sessions. */
  changePassword(options: { currentPassword: string; newPassword: string }): Promise<void>
  /** Lists the signed-in user's sessions. */
  sessions(): Promise<SessionEntry[]>
  /** Ends one of the user's sessions. Ending the current session signs the user out. */
  revokeSession(id: string): Promise<void>
  /**
   * Continues the authorization of an OAuth client: on the login page after the sign-in, and on the consent page with
   * the user's decision. `query` is the query of the page. Returns the URL to open next.
   * @example location.href = await auth.authorizeClient({ query: location.search, accept: true })
   */
  authorizeClient(options: { query: string; accept?: boolean }): Promise<string>
}

/**
 * Creates a browser client for the auth routes. It provides the signed-in user, the token for requests and sockets, and
 * methods to sign in and out. `<AuthProvider>` creates a client by default. To share a client with code outside React,
 * create it yourself and pass it as `source`.
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
    async authorizeClient({ query, accept }: { query: string; accept?: boolean }) {
      const body = { selected: true, accept, oauth_query: query.replace('?', '') }
      const route = `POST /oauth2/${accept === undefined ? 'continue' : 'consent'}` as const
      return ((await client.request(route, body)) as { url: string }).url
    },
  })
}
