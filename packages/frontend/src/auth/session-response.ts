import { CommonApiError } from '@sdk/protocol'
import type { AuthUser } from './auth-source.ts'

/** A session in a response from the auth routes. */
export interface AuthSession {
  id: unknown
  user: AuthUser
}

/** An access token and its expiry time in ms since the Unix epoch. */
export interface AccessToken {
  token: string
  expiresAt: number
}

/** Reads a `get-session` response. Returns null if no user is signed in. */
export function readSession(response: unknown): AuthSession | null {
  if (response === null) return null
  const { session, user } = Object(response) as { session?: { id: unknown }; user?: AuthUser }
  return { id: session?.id, user: assertPresent(user?.id && user) }
}

/** Reads an `access-token` response. */
export function readAccessToken(response: unknown): AccessToken {
  const { token, expiresAt } = Object(response) as { token?: string; expiresAt: string }
  return { token: assertPresent(token), expiresAt: assertPresent(Date.parse(expiresAt)) }
}

/** Throws if a member is missing, as in a proxy's error page, which does not mean that no user is signed in. */
function assertPresent<T>(value: T | undefined | null | ''): T {
  if (!value) throw new CommonApiError('INVALID_RESPONSE', 'Unexpected response from the auth routes')
  return value
}
