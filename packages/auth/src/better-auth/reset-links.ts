import type { BetterAuthOptions } from 'better-auth'
import type { BetterAuth } from './better-auth.ts'

/**
 * Adds to the options that a new password, however it was set, ends the links to one that were mailed before: whoever
 * finds such a mail could set the next.
 */
export function withResetLinkRevocation(
  options: BetterAuthOptions,
  start: () => Promise<BetterAuth>,
): BetterAuthOptions {
  async function endLinks(userId: string): Promise<void> {
    const { adapter } = (await start()).context
    const ofUser = { field: 'value', value: userId }
    const areLinks = { field: 'identifier', operator: 'starts_with' as const, value: 'reset-password:' }
    await adapter.deleteMany({ model: 'verification', where: [ofUser, areLinks] })
  }

  /** Only the password of such an account ever changes. Where many change at once, the library passes their number. */
  async function changed(account: unknown): Promise<void> {
    if (isAccount(account) && account.providerId === 'credential') await endLinks(account.userId)
  }

  return {
    ...options,
    emailAndPassword: { enabled: true, ...options.emailAndPassword, onPasswordReset: ({ user }) => endLinks(user.id) },
    databaseHooks: { ...options.databaseHooks, account: { update: { after: changed } } },
  }
}

function isAccount(value: unknown): value is { userId: string; providerId: string } {
  return typeof value === 'object' && value !== null && 'userId' in value && 'providerId' in value
}
