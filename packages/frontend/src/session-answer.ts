import { ApiError } from '@sdk/protocol'
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
  const { session, user } = (answer ?? {}) as { session?: { id?: unknown }; user?: AuthUser }
  // The page of a proxy does not say that somebody has signed out.
  if (answer !== null) assertAnswer(user?.id)
  return user ? { id: session?.id, user } : null
}

/** Reads what `access-token` answers. */
export function readAccess(answer: unknown): Access {
  const { token, expiresAt } = (answer ?? {}) as { token?: string; expiresAt?: string }
  const time = Date.parse(String(expiresAt))
  assertAnswer(token && !Number.isNaN(time))
  return { token: String(token), expiresAt: time }
}

function assertAnswer(isWhole: unknown): void {
  if (!isWhole) throw new ApiError('INVALID_RESPONSE', 'That is no answer of the auth routes')
}
