import { ApiError } from '@sdk/protocol'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { isAmbiguous, readCookieHeader, readSignedCookie } from '../session/session-cookie.ts'
import { accountSourceAt, NAME_SOURCES, toAccount } from './attempt.ts'
import type { AuthCall } from './auth-call.ts'

/** Returns the normalized account that an attempt is for, or null if the attempt does not specify one. */
export async function findAccount(
  { context }: BetterAuth,
  { request, path, members }: AuthCall,
): Promise<string | null> {
  const source = accountSourceAt(path)
  const cookies = readCookieHeader(request.headers)
  const cookie = (name: string): string | null => readSignedCookie(cookies, name, context.secret)
  if (source === 'two-factor') {
    const { name } = context.createAuthCookie('two_factor')
    // Better Auth would accept one of the cookies, but the attempt would not be counted against any account.
    if (isAmbiguous(cookies ?? '', name))
      throw new ApiError('UNAUTHORIZED', 'Sign in again: the request has two cookies with the same name')
    const begun = cookie(name)
    // Attempts are counted per user. Otherwise, repeating the first step would set a new cookie and allow new attempts.
    const found = begun === null ? null : await context.internalAdapter.findVerificationValue(begun)
    if (found) return `${source} ${found.value}`
  }
  if (source === 'two-factor' || source === 'session') {
    const session = cookie(context.authCookies.sessionToken.name)
    return session === null ? null : `session ${session}`
  }
  const named = members[source]
  return typeof named === 'string' ? toAccount(source, named) : null
}

/**
 * Returns the accounts of the user whose password a reset link changes: one for each name that the user can sign in
 * with. A reset is not counted against any account, so that the password of a locked account can be reset.
 */
export async function findResetAccounts(
  { context }: BetterAuth,
  { path, search, members }: AuthCall,
): Promise<readonly string[]> {
  if (path !== '/reset-password') return []
  const token = members['token'] || new URLSearchParams(search).get('token')
  if (typeof token !== 'string') return []
  const link = await context.internalAdapter.findVerificationValue(`reset-password:${token}`)
  const user: Record<string, unknown> | null = link && (await context.internalAdapter.findUserById(link.value))
  return NAME_SOURCES.flatMap((source) => {
    const name = user?.[source]
    return typeof name === 'string' ? [toAccount(source, name)] : []
  })
}
