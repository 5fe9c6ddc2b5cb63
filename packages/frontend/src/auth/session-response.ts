import { CommonApiError } from '@sdk/protocol'
import type { AuthUser } from './auth-source.ts'

/** A session, as the auth routes tell it. */
export interface AuthSession {
  id: unknown
  user: AuthUser
}

/** An access token, and when it expires in ms since 1970. */
export interface AccessToken {
  token: string
  expiresAt: number
}

/** Reads what `get-session` answers: null where nobody is signed in. */
export function readSession(answer: unknown): AuthSession | null {
  if (answer === null) return null
  const { session, user } = Object(answer) as { session?: { id: unknown }; user?: AuthUser }
  return { id: session?.id, user: assertPresent(user?.id && user) }
}

/** Reads what `access-token` answers. */
export function readAccess(answer: unknown): AccessToken {
  const { token, expiresAt } = Object(answer) as { token?: string; expiresAt: string }
  return { token: assertPresent(token), expiresAt: assertPresent(Date.parse(expiresAt)) }
}

/**
 * Throws where it is no answer of the auth routes, such as a proxy's page: that does not mean that nobody is signed in.
 */
function assertPresent<T>(value: T | undefined | null | ''): T {
  if (!value) throw new CommonApiError('INVALID_RESPONSE', 'The auth routes answered something else')
  return value
}
