import { type BetterAuthOptions, getCurrentAdapter } from 'better-auth'
import type { BetterAuth } from './better-auth.ts'

/**
 * Adds hooks that revoke earlier password reset links whenever a password changes. Otherwise, anyone who reads an old
 * email could set a new password.
 */
export function withResetLinkRevocation(
  options: BetterAuthOptions,
  start: () => Promise<BetterAuth>,
): BetterAuthOptions {
  const endLinks = async (userId: string): Promise<void> => endPendingAccess(await start(), userId)

  /**
   * Handles an account update. In a credential account, only the password can change. Bulk updates pass a number
   * instead of an account.
   */
  async function changed(account: unknown): Promise<void> {
    if (isAccount(account) && account.providerId === 'credential') await endLinks(account.userId)
  }

  return {
    ...options,
    emailAndPassword: { enabled: true, ...options.emailAndPassword, onPasswordReset: ({ user }) => endLinks(user.id) },
    databaseHooks: { ...options.databaseHooks, account: { update: { after: changed } } },
  }
}

/** The prefixes of verification values that lead to a new password, or to a session after the second factor. */
const PENDING_ACCESS = ['reset-password:', '2fa-'] as const

/**
 * Revokes a user's password reset links, and the sign-ins that wait for a second factor, in the current transaction if
 * there is one.
 */
export async function endPendingAccess({ context }: BetterAuth, userId: string): Promise<void> {
  const adapter = await getCurrentAdapter(context.adapter)
  const ofUser = { field: 'value', value: userId }
  for (const value of PENDING_ACCESS) {
    const isPending = { field: 'identifier', operator: 'starts_with' as const, value }
    await adapter.deleteMany({ model: 'verification', where: [ofUser, isPending] })
  }
}

function isAccount(value: unknown): value is { userId: string; providerId: string } {
  return typeof value === 'object' && value !== null && 'userId' in value && 'providerId' in value
}
