import { isApiError } from '@sdk/protocol'
import type { User } from '@sdk/server'
import { BASE_ERROR_CODES } from 'better-auth'
import { APIError } from 'better-auth/api'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { toAccount } from '../routes/attempt.ts'
import type { AttemptLimits } from '../routes/attempt-limits.ts'
import { toAuthError } from '../routes/auth-error.ts'
import { toVisibleUser } from '../session/visible-user.ts'
import { assertPassword, isEmail } from './user-input.ts'

/** A password to check. */
interface PasswordAttempt {
  readonly email: unknown
  readonly password: unknown
  readonly address?: string | undefined
}

/** Checks a password and counts the attempt, as `POST /sign-in/email` does. Throws the same errors as that route. */
export async function verifyPassword(
  library: BetterAuth,
  attempt: PasswordAttempt,
  { throttle, limitHashes }: AttemptLimits,
): Promise<User> {
  const account = toAccount('email', String(attempt.email))
  const settle = await throttle({ kind: 'secret', address: attempt.address, account })
  try {
    const user = await limitHashes(() => checkPassword(library, attempt))
    await settle({ status: 200, entered: [account] })
    return user
  } catch (error) {
    const known = toAuthError(error)
    await settle({ status: isApiError(known) ? known.status : 500, entered: [] })
    throw error
  }
}

async function checkPassword(library: BetterAuth, { email, password: given }: PasswordAttempt): Promise<User> {
  const { internalAdapter, password, options } = library.context
  if (!isEmail(email)) throw APIError.from('BAD_REQUEST', BASE_ERROR_CODES.INVALID_EMAIL)
  assertPassword(library.context, given, 0)
  const found = await internalAdapter.findUserByEmail(email, { includeAccounts: true })
  const account = found?.accounts.find(
    ({ providerId, accountId }) => providerId === 'credential' && accountId === found.user.id,
  )
  const hash = account?.password ?? null
  // Without a stored hash, the password is hashed anyway: the response time must not reveal whether an account exists.
  const isCorrect = hash === null ? void (await password.hash(given)) : await password.verify({ hash, password: given })
  if (!found || isCorrect !== true) throw APIError.from('UNAUTHORIZED', BASE_ERROR_CODES.INVALID_EMAIL_OR_PASSWORD)
  if (options.emailAndPassword?.requireEmailVerification === true && !found.user.emailVerified)
    throw APIError.from('FORBIDDEN', BASE_ERROR_CODES.EMAIL_NOT_VERIFIED)
  return toVisibleUser(found.user, library)
}
