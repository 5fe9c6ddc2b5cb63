import type { BetterAuth } from '../better-auth/better-auth.ts'

const HOUR_MS = 3_600_000
const RETENTION_MS = 24 * HOUR_MS
const BATCH_SIZE = 1_000

/**
 * Creates a function that deletes sessions that expired more than a day ago. Call it whenever a session starts: it runs
 * in the background, at most once an hour. After a failure, the next run tries again.
 */
export function createExpiredSessionCleanup(start: () => Promise<BetterAuth>): () => void {
  let nextAt = 0
  return () => {
    const now = Date.now()
    if (now < nextAt) return
    nextAt = now + HOUR_MS
    deleteExpired(new Date(now - RETENTION_MS)).catch(() => {})
  }

  /** Deletes rows in batches: a single statement could lock millions of rows for a long time. */
  async function deleteExpired(endedBefore: Date): Promise<void> {
    const { adapter } = (await start()).context
    const where = [{ field: 'expiresAt', operator: 'lt', value: endedBefore } as const]
    // The loop also ends if another process deleted the batch first.
    for (let deleted = 1; deleted > 0;) {
      const ended = await adapter.findMany<{ id: string }>({ model: 'session', where, limit: BATCH_SIZE })
      if (ended.length === 0) return
      const ids = ended.map(({ id }) => id)
      deleted = await adapter.deleteMany({ model: 'session', where: [{ field: 'id', operator: 'in', value: ids }] })
    }
  }
}
