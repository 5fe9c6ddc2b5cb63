import type { BetterAuth } from '../better-auth/better-auth.ts'

/** How often one process looks, how long a session is kept after its end, and how many rows go at once. */
const HOUR_MS = 3_600_000
const RETENTION_MS = 24 * HOUR_MS
const BATCH_SIZE = 1_000

/**
 * Deletes the rows of sessions that ended more than a day ago without a sign-out: else their table grows for ever. Call
 * it when a session begins. It works in the background, once an hour; what fails is tried again then.
 */
export function createExpiredSessionCleanup(start: () => Promise<BetterAuth>): () => void {
  let nextAt = 0
  return () => {
    const now = Date.now()
    if (now < nextAt) return
    nextAt = now + HOUR_MS
    deleteExpired(new Date(now - RETENTION_MS)).catch(() => {})
  }

  /** In batches: one statement over millions of rows would hold them all for long. */
  async function deleteExpired(endedBefore: Date): Promise<void> {
    const { adapter } = (await start()).context
    const where = [{ field: 'expiresAt', operator: 'lt', value: endedBefore } as const]
    // It stops where another process was faster, too.
    for (let deleted = 1; deleted > 0;) {
      const ended = await adapter.findMany<{ id: string }>({ model: 'session', where, limit: BATCH_SIZE })
      if (ended.length === 0) return
      const ids = ended.map(({ id }) => id)
      deleted = await adapter.deleteMany({ model: 'session', where: [{ field: 'id', operator: 'in', value: ids }] })
    }
  }
}
