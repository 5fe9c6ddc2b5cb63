import { CommonApiError } from '@sdk/protocol'
import type { AuthUser } from './auth-source.ts'

/** A session, as the auth routes tell it. */
export interface Session {
  id: unknown
  user: AuthUser
}

/** An access token, and when it expires in ms since 1970. */
export interface Access {
  token: string
  expiresAt: number
}

/** Reads what `get-session` answers: null where nobody is signed in. */
export function readSession(answer: unknown): Session | null {
  if (answer === null) return null
  const { session, user } = Object(answer) as { session?: { id: unknown }; user?: AuthUser }
  return { id: session?.id, user: assertWhole(user?.id && user) }
}

/** Reads what `access-token` answers. */
export function readAccess(answer: unknown): Access {
  const { token, expiresAt } = Object(answer) as { token?: string; expiresAt: string }
  return { token: assertWhole(token), expiresAt: assertWhole(Date.parse(expiresAt)) }
}

/**
 * Throws where it is no answer of the auth routes, such as a proxy's page: that does not mean that nobody is signed in.
 */
function assertWhole<T>(value: T | undefined | null | ''): T {
  if (!value) throw new CommonApiError('INVALID_RESPONSE', 'The auth routes answered something else')
  return value
}
