import type { BetterAuthOptions } from 'better-auth'
import type { AttachedApps } from '../attached-apps.ts'
import type { AuthChanges } from './auth-changes.ts'

/** Creates hooks for new sessions, and for every change that any route or plugin makes to a session or user. */
export function createChangeHooks(
  changes: Pick<AuthChanges, 'add'>,
  onSessionStart: () => void,
  apps: Pick<AttachedApps, 'deleteRuns'>,
): NonNullable<BetterAuthOptions['databaseHooks']> {
  // An update may pass null or the number of updated records instead of a record.
  const changed = async (record: unknown): Promise<void> => changes.add({ changed: idsOf(record) })
  const deleted = async (record: unknown): Promise<void> => {
    await changed(record)
    for (const id of idsOf(record)) apps.deleteRuns(id)
  }
  return {
    session: {
      create: { after: async () => onSessionStart() },
      update: { after: changed },
      // The user's other sessions may have ended too: a bulk delete reports only some of them.
      delete: { after: async ({ id, userId }) => changes.add({ ended: [id], changed: [userId] }) },
    },
    user: { update: { after: changed }, delete: { after: deleted } },
  }
}

function idsOf(record: unknown): string[] {
  return typeof record === 'object' && record !== null && 'id' in record ? [String(record.id)] : []
}
