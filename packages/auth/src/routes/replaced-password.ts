import { ApiError } from '@sdk/protocol'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { verifiedHashes } from '../better-auth/passwords.ts'
import { toErrorResponse } from './auth-response.ts'
import { issuedSession, unsigned } from './session-credential.ts'

/**
 * Rejects a sign-in if the password was replaced after Better Auth had verified it. A new password ends all sessions,
 * but not one that is created a moment later.
 */
export async function rejectReplacedPassword(
  { context }: BetterAuth,
  path: string,
  signIn: () => Promise<Response>,
): Promise<Response> {
  if (!path.startsWith('/sign-in/')) return signIn()
  const verified: { hash: string | null } = { hash: null }
  const response = await verifiedHashes.run(verified, signIn)
  const token = unsigned(issuedSession(response, context.authCookies.sessionToken.name) ?? '')
  if (verified.hash === null || token === '') return response
  const found = await context.internalAdapter.findSession(token)
  const accounts = found === null ? [] : await context.internalAdapter.findAccounts(found.user.id)
  if (accounts.some(({ password }) => password === verified.hash)) return response
  if (found !== null) await context.internalAdapter.deleteSession(token)
  return toErrorResponse(new ApiError('INVALID_EMAIL_OR_PASSWORD', 'Invalid email or password', { status: 401 }))
}
