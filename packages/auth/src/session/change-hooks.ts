import type { BetterAuthOptions } from 'better-auth'
import type { AuthChanges } from './auth-changes.ts'

/** Creates hooks for every session and user that the library changes, by whichever route or plugin, and for new sessions. */
export function createChangeHooks(
  changes: Pick<AuthChanges, 'add'>,
  onSessionStart: () => void,
): NonNullable<BetterAuthOptions['databaseHooks']> {
  // What was updated may be null, or the number of them.
  const changed = async (record: unknown): Promise<void> => changes.add({ changed: idsOf(record) })
  return {
    session: {
      create: { after: async () => onSessionStart() },
      update: { after: changed },
      // The user's other sessions may be over too: of many at once the library names only some.
      delete: { after: async ({ id, userId }) => changes.add({ ended: [id], changed: [userId] }) },
    },
    user: { update: { after: changed }, delete: { after: changed } },
  }
}

function idsOf(record: unknown): string[] {
  return typeof record === 'object' && record !== null && 'id' in record ? [String(record.id)] : []
}
